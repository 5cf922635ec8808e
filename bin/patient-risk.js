#!/usr/bin/env node
// Starts the command line with the Node that this package brings, whatever the host's own Node is.
import { existsSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'

const NEEDED_MAJOR = 24
const root = new URL('..', import.meta.url)

// An installed package holds compiled code only; a checkout holds the source, which runs as it is.
const main = ['src/cli/main.ts', 'dist/cli/main.js']
  .map((path) => new URL(path, root))
  .find((url) => existsSync(url))

if (Number(process.versions.node.split('.')[0]) >= NEEDED_MAJOR) {
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
  const child = spawn(ownNode, [main.pathname, ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 128)))
}

function findOwnNode() {
  try {
    const path = createRequire(import.meta.url).resolve('node/bin/node')
    return existsSync(path) ? path : undefined
  } catch {
    return undefined
  }
}
