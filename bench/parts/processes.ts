/** Two processes behind one port against one, the client on the same machine. */
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
    await startService('two processes', 'bytes', 2),
  ]
  const lines: string[] = []
  try {
    for (const { shape, records, connections } of PAYLOADS) {
      const load = { ...bench, bodyFile: bodyFile(bench, shape, records, false), records, connections }
      const [one, two] = (await measure(servers, load)) as [Measured, Measured]
      const ratio = (two.recordsPerSecond / one.recordsPerSecond).toFixed(2)
      lines.push(
        `| ${records} × ${shape} | ${thousands(one.recordsPerSecond)} | ${thousands(two.recordsPerSecond)} | ${ratio} |`,
      )
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
  const head = '| payload | one process, records/s | two processes, records/s | ratio |\n|---|---|---|---|'
  return `## Two processes against one\n\n${head}\n${lines.join('\n')}\n`
}
