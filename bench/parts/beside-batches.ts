/** How long a single patient waits beside clients that send large batches without pause. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { thousands } from '../bodies.ts'
import type { BesideBatches } from '../beside-batches.ts'
import { startService } from '../server-process.ts'

const SCRIPT = fileURLToPath(new URL('../beside-batches.ts', import.meta.url))
const SECONDS = 8

export async function besideBatchesPart(): Promise<string> {
  const server = await startService('service', 'bytes', 1)
  try {
    const { idle, beside, recordsPerSecond } = await run(`http://127.0.0.1:${server.port}`, server.key)
    const row = (name: string, { p50Ms, p99Ms }: BesideBatches['idle']): string =>
      `| ${name} | ${p50Ms.toFixed(2)} | ${p99Ms.toFixed(2)} | ${(p99Ms / idle.p99Ms).toFixed(2)} |`
    return `## A single patient beside four clients with batches of 10,000

| when | p50 ms | p99 ms | p99 against idle |
|---|---|---|---|
${row('idle', idle)}
${row('beside the batches', beside)}

The batches ran at ${thousands(recordsPerSecond)} records a second meanwhile.
`
  } finally {
    await server.stop()
  }
}

function run(origin: string, key: string): Promise<BesideBatches> {
  const child = spawn(process.execPath, [SCRIPT, origin, key, String(SECONDS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', (part: Buffer) => (said += part.toString()))
  return new Promise((resolve, reject) => {
    child.on('close', (code) => {
      if (code === 0) resolve(JSON.parse(said) as BesideBatches)
      else reject(new Error('the clients did not end with code 0'))
    })
  })
}
