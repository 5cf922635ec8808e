#!/usr/bin/env node
// Starts the command line with the Node that this package brings, whatever the host's own Node is.
import { existsSync } from 'node:fs'
import { spawn } from 'node:child_process'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const NEEDED_MAJOR = 24
const root = new URL('..', import.meta.url)

// An installed package holds compiled code only; a checkout holds the source, which runs as it is.
const main = ['packages/patient-risk/src/cli/main.ts', 'dist/cli/main.js']
  .map((path) => new URL(path, root))
  .find((url) => existsSync(url))

endWithParent()

if (Number(process.versions.node.split('.')[0]) >= NEEDED_MAJOR) {
  // Half of a command's start is compiling code. The compiled code is kept beside the package, where only those who may
  // change the package can write; without that right nothing is kept. NODE_COMPILE_CACHE names another folder. It is set
  // before anything else is loaded: a single file of TypeScript that it does not hold would load the compiler for it.
  module.enableCompileCache(fileURLToPath(new URL('node_modules/.cache/node', root)))
  await import(main.href)
} else {
  const ownNode = findOwnNode()
  if (ownNode === undefined) {
    process.stderr.write(
      `patient-risk needs Node ${NEEDED_MAJOR} or newer, and this is ${process.version}. ` +
        'The package "node" brings it when its install script may run: npm approve-scripts node && npm rebuild node\n',
    )
    process.exit(2)
  }
  const child = spawn(ownNode, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, PATIENT_RISK_PARENT: String(process.pid) },
  })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 128)))
}

// A shell between npm and this process does not pass SIGTERM on, so a service that npm started also stops when its parent is gone.
function endWithParent() {
  const isStartedByNpm =
    process.env.npm_command !== undefined || process.env.PATIENT_RISK_PARENT !== undefined
  if (!isStartedByNpm) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, 500)
  timer.unref()
}

function findOwnNode() {
  try {
    const path = module.createRequire(import.meta.url).resolve('node/bin/node')
    return existsSync(path) ? path : undefined
  } catch {
    return undefined
  }
}
