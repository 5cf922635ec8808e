#!/usr/bin/env node
// The command `patient-risk`, on the Node that runs this file. An installed package holds compiled code; a checkout holds the
// source, which only a newer Node runs as it is.
import { existsSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { COMPILED_NEEDS, SOURCE_NEEDS, endWithParent, inWords, isSupported } from './host.js'

const source = new URL('../src/cli/main.ts', import.meta.url)
const isCheckout = existsSync(source)
const main = isCheckout ? source : new URL('../dist/patient-risk/src/cli/main.js', import.meta.url)
const cache = new URL(`../${isCheckout ? '../../' : ''}node_modules/.cache/node`, import.meta.url)
const needed = isCheckout ? SOURCE_NEEDS : COMPILED_NEEDS

if (!isSupported(needed)) {
  const advice = isCheckout ? ' In a checkout, npx patient-risk finds one that npm ci has installed.' : ''
  process.stderr.write(
    `patient-risk needs Node ${inWords(needed)}, and this is ${process.version}.${advice}\n`,
  )
  process.exit(2)
}
endWithParent()
hideSqliteWarning()
// Half of a command's start is compiling code. The compiled code is kept beside the package, where only those who may
// change the package can write; without that right nothing is kept. NODE_COMPILE_CACHE names another folder. It is set
// before anything else is loaded: a single file of TypeScript that it does not hold would load the compiler for it. Threads and
// child processes find the folder in the environment.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(cache)
module.enableCompileCache(process.env.NODE_COMPILE_CACHE)
await import(main.href)

// Node 22 calls node:sqlite experimental, on stderr and for each command. What is used of it here is tested on that Node.
function hideSqliteWarning() {
  const { emitWarning } = process
  process.emitWarning = (warning, ...rest) => {
    const isOfSqlite = rest[0] === 'ExperimentalWarning' && String(warning).startsWith('SQLite ')
    if (!isOfSqlite) emitWarning.call(process, warning, ...rest)
  }
}
