/** The command line. */
import { installLastResort } from '../log/log.ts'
import { run } from './commands.ts'

installLastResort()
process.exitCode = await run(process.argv.slice(2))
