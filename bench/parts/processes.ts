/** Two processes on one port against one, the client on the same machine. */
import type { Bench } from '../bench.ts'
import { bodyFile } from '../bodies.ts'
import { measure } from '../measure.ts'
import type { Section } from '../results.ts'
import { medianOf, printRange, printRatio, ratioOf, thousands } from '../spread.ts'
import { startService, stopAll } from '../start-servers.ts'

const PAYLOADS = [
  { shape: '10 fields', records: 1, connections: 64 },
  { shape: '50 fields', records: 100, connections: 16 },
  { shape: '50 fields', records: 1_000, connections: 8 },
] as const

export async function processesPart(bench: Bench): Promise<readonly Section[]> {
  const servers = [
    await startService('one process', 'bytes', 1),
    await startService('one without threads', 'bytes', 1, { WORKERS: '0' }),
    await startService('two processes', 'bytes', 2),
  ]
  const rows: string[][] = []
  try {
    for (const { shape, records, connections } of PAYLOADS) {
      const load = { ...bench, bodyFile: bodyFile(bench, shape, records, false), records, connections }
      const measured = await measure(servers, load)
      const [one = [], alone = [], two = []] = servers.map(({ name }) => measured.get(name))
      const speeds = [one, alone, two].map((rounds) => thousands(medianOf(rounds, 'recordsPerSecond')))
      const ratios = [one, alone].flatMap((rounds) => {
        const ratio = ratioOf(two, rounds, 'recordsPerSecond')
        return [printRatio(ratio.median), printRange(ratio)]
      })
      rows.push([`${thousands(records)} × ${shape}`, `${connections}`, ...speeds, ...ratios])
    }
  } finally {
    await stopAll(servers)
  }
  const columns = [
    'payload',
    'callers',
    'one process, records/s',
    'one without threads',
    'two processes',
    'two against one',
    'range',
    'two against one without threads',
    'range',
  ]
  return [
    {
      title: 'Two processes against one',
      notes: [
        `With its thread for large bodies one process uses both cores for a batch; without (\`WORKERS=0\`) it answers all by itself.`,
      ],
      tables: [{ columns, rows }],
    },
  ]
}
