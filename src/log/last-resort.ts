/**
 * Ends the process on an error that nobody caught, and reports what and where without its text. Node itself would print the
 * line of source, and with it a patient record.
 */
import { type Log, describeBug } from './log.ts'

/** The exit code for a bug, as in sysexits.h. */
const EXIT_BUG = 70
let isInstalled = false
let log: Log | undefined

/** Reports to the terminal, or to the log where one is given. A service calls it again with its log. */
export function installLastResort(logOfService?: Log): void {
  log = logOfService
  if (isInstalled) return
  isInstalled = true
  const end = (event: string) => (error: unknown) => {
    report(event, error)
    process.exit(EXIT_BUG)
  }
  process.on('uncaughtException', end('uncaught-exception'))
  process.on('unhandledRejection', end('unhandled-rejection'))
}

function report(event: string, error: unknown): void {
  const { kind, place } = describeBug(error)
  log?.fatal({ event, kind, place })
  if (log !== undefined) return
  const where = place === '' ? '' : ` at ${place}`
  process.stderr.write(
    `This is a fault of patient-risk, not of your data: ${kind}${where}. Please report this line; it holds nothing of a record.\n`,
  )
}
