#!/usr/bin/env node
// Starts the command line of a checkout, with the Node that npm ci has installed where the host's own is older.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { SOURCE_NEEDS, endWithParent, inWords, isSupported } from '../packages/patient-risk/bin/host.js'

const command = new URL('../packages/patient-risk/bin/patient-risk.js', import.meta.url)

if (isSupported(SOURCE_NEEDS)) await import(command.href)
else runOnOwnNode()

function runOnOwnNode() {
  const ownNode = findOwnNode()
  if (ownNode === undefined) {
    process.stderr.write(
      `A checkout of patient-risk needs Node ${inWords(SOURCE_NEEDS)}, and this is ${process.version}. ` +
        'The package "node" brings it when its install script may run: npm approve-scripts node && npm rebuild node\n',
    )
    process.exit(2)
  }
  endWithParent()
  const child = spawn(ownNode, [fileURLToPath(command), ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, PATIENT_RISK_PARENT: String(process.pid) },
  })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 128)))
}

function findOwnNode() {
  try {
    const path = module.createRequire(import.meta.url).resolve('node/bin/node')
    return existsSync(path) ? path : undefined
  } catch {
    return undefined
  }
}
