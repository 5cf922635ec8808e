/** Two processes on one port against one, the client on the same machine. */
import { bodyFile, thousands } from '../bodies.ts'
import { type Measured, measure } from '../measure.ts'
import type { Bench } from '../bench.ts'
import { startService } from '../server-process.ts'

const PAYLOADS = [
  { shape: '10 fields', records: 1, connections: 64 },
  { shape: '50 fields', records: 100, connections: 16 },
  { shape: '50 fields', records: 1_000, connections: 8 },
] as const

export async function processesPart(bench: Bench): Promise<string> {
  const servers = [
    await startService('one process', 'bytes', 1),
    await startService('one process without threads', 'bytes', 1, { WORKERS: '0' }),
    await startService('two processes', 'bytes', 2),
  ]
  const lines: string[] = []
  try {
    for (const { shape, records, connections } of PAYLOADS) {
      const load = { ...bench, bodyFile: bodyFile(bench, shape, records, false), records, connections }
      const [one, alone, two] = (await measure(servers, load)) as [Measured, Measured, Measured]
      const speeds = [one, alone, two].map((each) => thousands(each.recordsPerSecond))
      const ratios = [one, alone].map((each) => (two.recordsPerSecond / each.recordsPerSecond).toFixed(2))
      lines.push(`| ${[`${records} × ${shape}`, ...speeds, ...ratios].join(' | ')} |`)
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
  const columns = ['payload', 'one process, records/s', 'one without threads', 'two processes']
  const head = [...columns, 'two against one', 'two against one without threads'].join(' | ')
  return `## Two processes against one

With its thread for large bodies one process uses both cores for a batch; without (\`WORKERS=0\`) it answers all by itself.

| ${head} |
|---|---|---|---|---|---|
${lines.join('\n')}
`
}
