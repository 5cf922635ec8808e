/** The command line. */
import { COMMANDS } from './commands.ts'
import { installLastResort } from './last-resort.ts'
import { run } from './run.ts'

installLastResort()
process.exitCode = await run(COMMANDS, process.argv.slice(2))
