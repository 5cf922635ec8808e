/** The command line. */
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Half of a command's start is compiling code. The compiled code is kept beside the package, where only those who may
// change the package can write; without that right nothing is kept. NODE_COMPILE_CACHE names another folder. It is set
// before anything else is loaded, for it holds only what is loaded later.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/node', import.meta.url)))
const { installLastResort } = await import('../log/log.ts')
installLastResort()
const { COMMANDS } = await import('./commands.ts')
const { run } = await import('./run.ts')
process.exitCode = await run(COMMANDS, process.argv.slice(2))
