/** Last resort of every command: an error that nobody expected ends it, and says what and where, never its own text. */
import { describeBug } from '../log/log.ts'

/** As sysexits.h has it: a fault of the program itself. */
const BUG = 70

export function installLastResort(): void {
  process.on('uncaughtException', end)
  process.on('unhandledRejection', end)
}

/** The text of an error, and the line of source that Node prints with it, may quote a patient's record. */
function end(error: unknown): void {
  // A service has a last resort of its own, which writes to the log.
  if (process.listenerCount('uncaughtException') > 1) return
  const { kind, place } = describeBug(error)
  const where = place === '' ? '' : ` at ${place}`
  process.stderr.write(
    `This is a fault of patient-risk, not of your data: ${kind}${where}. Please report this line; it holds nothing of a record.\n`,
  )
  process.exit(BUG)
}
