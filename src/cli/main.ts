/** The command line. */
import { reportUncaughtErrors } from '../log/log.ts'
import { run } from './commands.ts'

reportUncaughtErrors()
process.exitCode = await run(process.argv.slice(2))
