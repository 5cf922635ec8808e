/** The log: JSON lines with a fixed set of fields. Headers, addresses, bodies and error texts are not among them. */
import { describeBug, isoTime } from '@patient-risk/runtime'

/** The fields that a line may have besides level and time. Other fields are left out. */
export const LOG_FIELDS: ReadonlySet<string> = new Set(
  (
    'event requestId method route status durationMs deployment key records scored ended code ' +
    'kind place origin layout trouble reason count exitCode'
  ).split(' '),
)

/** Levels by the numbers that log viewers know. */
const LEVELS = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60, silent: Infinity }
type Level = 'info' | 'warn' | 'error' | 'fatal'

/** A line is an object of listed fields. Free text is not written: the message of an error may quote a record. */
export type Log = Readonly<Record<Level, (line: object) => void>>

/** `least` is the name of a level; lines below it are not written. Lines go to the standard output unless said otherwise. */
export function createLog(least: string, destination?: { write(line: string): unknown }): Log {
  const threshold = LEVELS[least as keyof typeof LEVELS]
  const gathered = destination === undefined ? new GatheredLines() : undefined
  const at = (level: Level) => (fields: object) => {
    if (LEVELS[level] < threshold) return
    const line: Line = { level: LEVELS[level], at: Date.now(), fields: fields as Line['fields'] }
    destination?.write(printLine(line))
    gathered?.add(line)
    // Lines that are not about a request are rare, and somebody may be waiting for them.
    if (line.fields['event'] !== 'request') gathered?.flush()
  }
  return { info: at('info'), warn: at('warn'), error: at('error'), fatal: at('fatal') }
}

interface Line {
  readonly level: number
  readonly at: number
  readonly fields: Readonly<Record<string, unknown>>
}

// A terminal or a log viewer may interpret these; JSON escapes only some of them.
const UNPRINTABLE = /[^\x20-\x7e]/g
const PLAIN = /^[ !#-[\]-~]*$/

function printLine({ level, at, fields }: Line): string {
  let text = `{"level":${level},"time":"${isoTime(at)}"`
  if (typeof fields !== 'object') return `${text}}\n`
  for (const name in fields) {
    const value = fields[name]
    if (value === undefined || !LOG_FIELDS.has(name)) continue
    if (typeof value === 'number' || typeof value === 'boolean') text += `,"${name}":${value}`
    else if (typeof value === 'string')
      text += `,"${name}":${PLAIN.test(value) ? `"${value}"` : JSON.stringify(value.replace(UNPRINTABLE, '?'))}`
  }
  return `${text}}\n`
}

const MOST_LINES = 128
const LONGEST_WAIT_MS = 200

/**
 * Collects lines, and prints and writes them to the standard output together: one write per line costs as much as scoring a patient.
 * When the output cannot be written, as on a full disk, lines are lost, but the service goes on.
 */
class GatheredLines {
  private lines: Line[] = []
  private timer: NodeJS.Timeout | undefined

  constructor() {
    // There is nowhere to report it.
    process.stdout.on('error', () => undefined)
    process.on('exit', () => this.flush())
  }

  add(line: Line): void {
    if (this.lines.push(line) >= MOST_LINES) this.flush()
    else this.timer ??= setTimeout(() => this.flush(), LONGEST_WAIT_MS).unref()
  }

  flush(): void {
    if (this.lines.length === 0) return
    clearTimeout(this.timer)
    const { lines } = this
    Object.assign(this, { lines: [], timer: undefined })
    try {
      // Lines hold ASCII only.
      process.stdout.write(lines.map(printLine).join(''), 'latin1')
    } catch {
      // As above, for an error that is thrown.
    }
  }
}

/** The exit code for a bug, as in sysexits.h. */
const EXIT_BUG = 70
let isInstalled = false
let lastLog: Log | undefined

/**
 * Ends the process on an error that nobody caught, and reports what and where without its text. Node itself would print the
 * line of source, and with it a patient record. Reports to the terminal, or to the log where one is given: a service calls it
 * again with its log.
 */
export function reportUncaughtErrors(log?: Log): void {
  lastLog = log
  if (isInstalled) return
  isInstalled = true
  const end = (event: string) => (error: unknown) => {
    const { kind, place } = describeBug(error)
    const what = place === '' ? kind : `${kind} at ${place}`
    const line = `This is a fault of patient-risk, not of your data: ${what}. Please report this line; it holds nothing of a record.\n`
    if (lastLog === undefined) process.stderr.write(line)
    else lastLog.fatal({ event, kind, place })
    process.exit(EXIT_BUG)
  }
  process.on('uncaughtException', end('uncaught-exception'))
  process.on('unhandledRejection', end('unhandled-rejection'))
}
