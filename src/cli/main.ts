/** The command line. */
import { COMMANDS } from './commands.ts'
import { run } from './run.ts'

process.exitCode = await run(COMMANDS, process.argv.slice(2))
