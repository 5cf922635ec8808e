/** The log: JSON lines with a fixed set of fields. Headers, addresses, bodies and error texts are not among them. */
import { isoTime } from '../iso-time.ts'
import { GatheredLines } from './gathered-lines.ts'

/** The fields that a line may have besides level and time. Other fields are left out. */
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
  'ended',
  'code',
  'kind',
  'place',
  'origin',
  'trouble',
  'reason',
  'count',
  'exitCode',
])

/** Levels by the numbers that log viewers know. */
const LEVELS = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60, silent: Infinity } as const
type Level = Exclude<keyof typeof LEVELS, 'silent'>

/** A line is an object of listed fields. Free text is not written: the message of an error may quote a record. */
export type Log = Readonly<Record<Level, (line: object) => void>>

export interface LogDestination {
  write(line: string): unknown
}

/** `least` is the name of a level; lines below it are not written. */
export function createLog(least: string, destination?: LogDestination): Log {
  const gathered = destination === undefined ? new GatheredLines(printLine) : undefined
  const threshold = LEVELS[least as keyof typeof LEVELS]
  const at = (level: Level) => (fields: object) => {
    if (LEVELS[level] < threshold) return
    const line = { level: LEVELS[level], at: Date.now(), fields: fields as Line['fields'] }
    destination?.write(printLine(line))
    gathered?.add(line)
    // Lines that are not about a request are rare, and somebody may be waiting for them.
    if (line.fields['event'] !== 'request') gathered?.flush()
  }
  return {
    trace: at('trace'),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    fatal: at('fatal'),
  }
}

interface Line {
  readonly level: number
  readonly at: number
  readonly fields: Readonly<Record<string, unknown>>
}

function printLine({ level, at, fields }: Line): string {
  let text = `{"level":${level},"time":"${isoTime(at)}"`
  if (typeof fields === 'object') for (const name in fields) text += printField(name, fields[name])
  return `${text}}\n`
}

interface Printed {
  value: unknown
  text: string
}

/** The last text of each field: most fields have the same value in most lines. */
const printed: ReadonlyMap<string, Printed> = new Map(
  [...LOG_FIELDS].map((name) => [name, { value: undefined, text: '' }]),
)

function printField(name: string, value: unknown): string {
  const last = printed.get(name)
  if (last === undefined) return ''
  if (last.value === value) return last.text
  const text = printValue(value)
  last.value = value
  last.text = text === undefined ? '' : `,"${name}":${text}`
  return last.text
}

function printValue(value: unknown): string | undefined {
  if (typeof value === 'string') return printText(value)
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

// A terminal or a log viewer may interpret these; JSON escapes only some of them.
const UNPRINTABLE = /[^\x20-\x7e]/g
const PLAIN = /^[ !#-[\]-~]*$/

function printText(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text.replace(UNPRINTABLE, '?'))
}

/** What is reported of an unexpected error: its kind and place. Its text may quote a patient record. */
export function describeBug(error: unknown): { readonly kind: string; readonly place: string } {
  if (!(error instanceof Error)) return { kind: typeof error, place: '' }
  // The message stands before the frames, and may look like one.
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
