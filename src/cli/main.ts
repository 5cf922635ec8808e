/** The command line. */
import { installLastResort } from '../log/log.ts'
import { COMMANDS } from './commands.ts'
import { run } from './run.ts'

installLastResort()
process.exitCode = await run(COMMANDS, process.argv.slice(2))
