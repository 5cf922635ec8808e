/** The command line. */
import { reportUncaughtErrors } from '@patient-risk/server/log'
import { run } from './commands.ts'

reportUncaughtErrors()
process.exitCode = await run(process.argv.slice(2))
