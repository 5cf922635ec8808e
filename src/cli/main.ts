/** The command line. */
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { installLastResort } from '../log/last-resort.ts'
import { COMMANDS } from './commands.ts'
import { run } from './run.ts'

installLastResort()
// Half of a command's start is compiling code. The compiled code is kept beside the package, where only those who may
// change the package can write; without that right nothing is kept. NODE_COMPILE_CACHE names another folder.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/node', import.meta.url)))
process.exitCode = await run(COMMANDS, process.argv.slice(2))
