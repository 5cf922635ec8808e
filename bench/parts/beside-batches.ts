/** How long a single patient waits beside clients that send large batches without pause. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Bench } from '../bench.ts'
import type { BesideBatches } from '../beside-batches.ts'
import type { Section } from '../results.ts'
import { median, printRange, printRatio, spreadOf, thousands } from '../spread.ts'
import { startService } from '../start-servers.ts'

const SCRIPT = fileURLToPath(new URL('../beside-batches.ts', import.meta.url))
const SECONDS = 4

export async function besideBatchesPart({ rounds, seconds }: Bench): Promise<readonly Section[]> {
  const server = await startService('service', 'bytes', 1)
  const runs: BesideBatches[] = []
  try {
    for (let round = 0; round < rounds; round++) {
      runs.push(await run(`http://127.0.0.1:${server.port}`, server.key, SECONDS * Math.min(1, seconds)))
    }
  } finally {
    await server.stop()
  }
  const against = spreadOf(runs.map(({ idle, beside }) => beside.p99Ms / idle.p99Ms))
  const batches = median(runs.map(({ recordsPerSecond }) => recordsPerSecond))
  const row = (when: 'idle' | 'beside'): readonly string[] =>
    (['p50Ms', 'p99Ms'] as const).map((figure) => median(runs.map((each) => each[when][figure])).toFixed(2))
  return [
    {
      title: 'A single patient beside four clients with batches of 10,000',
      notes: [
        `Medians of ${rounds} runs of ${SECONDS} s. The batches ran at ${thousands(batches)} records a second meanwhile.`,
      ],
      tables: [
        {
          columns: ['when', 'p50 ms', 'p99 ms', 'p99 against idle', 'range'],
          rows: [
            ['idle', ...row('idle'), '1.00', ''],
            ['beside the batches', ...row('beside'), printRatio(against.median), printRange(against)],
          ],
        },
      ],
    },
  ]
}

function run(origin: string, key: string, seconds: number): Promise<BesideBatches> {
  const child = spawn(process.execPath, [SCRIPT, origin, key, String(seconds)], {
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
