/** The log: JSON lines with a fixed set of fields. No header, no address, no body and no error text is among them. */
import { type DestinationStream, type Logger, pino } from 'pino'
import { GatheredLines } from './gathered-lines.ts'

/** Every field that a line may have, beside level and time. What is not listed is left out of the line. */
export const LOG_FIELDS: ReadonlySet<string> = new Set([
  'event',
  'requestId',
  'method',
  'route',
  'status',
  'durationMs',
  'deployment',
  'key',
  'records',
  'scored',
  'code',
  'kind',
  'place',
  'origin',
  'trouble',
  'reason',
  'count',
])

// A terminal or a log viewer may act on these; JSON itself escapes only some of them.
const UNPRINTABLE = /[^\x20-\x7e]/g

export function createLog(level: string, destination?: DestinationStream): Logger {
  const gathered = destination === undefined ? new GatheredLines() : undefined
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    hooks: {
      // A message has no fields, and that of an error may quote a record: only fields are written.
      logMethod(words: readonly unknown[], write: (line: object) => void) {
        const line = keepKnown(words[0])
        write.call(this, line)
        // Whatever is not about a request is rare, and somebody waits for it.
        if (line['event'] !== 'request') gathered?.flush()
      },
    },
  }
  return pino(options, gathered ?? destination)
}

function keepKnown(line: unknown): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  if (typeof line !== 'object' || line === null) return kept
  for (const [name, value] of Object.entries(line)) {
    if (!LOG_FIELDS.has(name)) continue
    if (typeof value === 'string') kept[name] = value.replace(UNPRINTABLE, '?')
    else if (typeof value === 'number' || typeof value === 'boolean') kept[name] = value
  }
  return kept
}

/** What may be said of an error that nobody expected: its kind and place. Its text may quote a patient's record. */
export function describeBug(error: unknown): { readonly kind: string; readonly place: string } {
  if (!(error instanceof Error)) return { kind: typeof error, place: '' }
  // The text stands before the frames, and may look like one.
  const frames = (error.stack ?? '').replace(error.message, '').split('\n')
  const place = frames.find((line) => /^\s+at /.test(line)) ?? ''
  return {
    kind: error.constructor.name,
    place: place
      .trim()
      .replace(/^at /, '')
      .replace(/\(?file:.*\/(src|dist)\//, '($1/'),
  }
}

/** Last resort: an error that nobody caught ends the process, and says nothing of its text. */
export function installLastResort(log: Logger): void {
  const end = (event: string) => (error: unknown) => {
    log.fatal({ event, ...describeBug(error) })
    process.exit(70)
  }
  process.on('uncaughtException', end('uncaught-exception'))
  process.on('unhandledRejection', end('unhandled-rejection'))
}
