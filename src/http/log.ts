/** The log: JSON lines with a fixed set of fields. No header, no address, no body and no error text is among them. */
import { type DestinationStream, type Logger, pino } from 'pino'

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

/** Lines are gathered and written together: a write for each line would cost as much as the score of a patient. */
const GATHERED = { minLength: 4_096, periodicFlush: 200 }

export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    hooks: {
      // A message has no fields, and that of an error may quote a record: only fields are written.
      logMethod(words: readonly unknown[], write: (line: object) => void) {
        write.call(this, keepKnown(words[0]))
      },
    },
  }
  return pino(options, destination ?? pino.destination({ dest: 1, sync: false, ...GATHERED }))
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
