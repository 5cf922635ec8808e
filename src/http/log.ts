/** The log: JSON lines with a fixed set of fields. No header, no address, no body and no error text is among them. */
import { type DestinationStream, type Logger, pino } from 'pino'

export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  return destination === undefined ? pino(options) : pino(options, destination)
}

/** What may be said of an error that nobody expected: its kind and place. Its text may quote a patient's record. */
export function describeBug(error: unknown): { readonly kind: string; readonly place: string } {
  if (!(error instanceof Error)) return { kind: typeof error, place: '' }
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return {
    kind: error.constructor.name,
    place: (frames[0] ?? '')
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
