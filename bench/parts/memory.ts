/** What one large request adds to the memory of a server that has answered small ones. */
import type { Bench } from '../bench.ts'
import { bodyFile } from '../bodies.ts'
import { runClient } from '../measure.ts'
import { makePayload } from '../payloads.ts'
import type { Section } from '../results.ts'
import { median, megabytes, thousands } from '../spread.ts'
import { startScript, startService } from '../start-servers.ts'

const RECORDS = 10_000
const SHAPE = '50 fields'
const SERVERS = {
  service: () => startService('service', 'bytes'),
  'service, reference path': () => startService('service, reference path', 'reference'),
  'bare floor': () => startScript('bare floor', 'bench/servers/floor.ts'),
}

export async function memoryPart(bench: Bench): Promise<readonly Section[]> {
  const bytes = makePayload(bench.plan, SHAPE, RECORDS, false).length
  const rows: string[][] = []
  for (const [name, start] of Object.entries(SERVERS)) {
    const growths: number[] = []
    const peaks: number[] = []
    for (let round = 0; round < bench.rounds; round++) {
      // A new one each time: a peak does not go down again.
      const server = await start()
      try {
        const small = bodyFile(bench, SHAPE, 10, false)
        await runClient(server, { bodyFile: small, connections: 1, seconds: 1 })
        const before = server.memory().peak
        const large = bodyFile(bench, SHAPE, RECORDS, false)
        await runClient(server, { bodyFile: large, connections: 1, seconds: 0 })
        peaks.push(server.memory().peak)
        growths.push(Math.max(0, server.memory().peak - before))
      } finally {
        await server.stop()
      }
    }
    const growth = median(growths)
    rows.push([
      name,
      megabytes(bytes),
      megabytes(growth),
      `${(growth / bytes).toFixed(1)} ×`,
      megabytes(median(peaks)),
    ])
  }
  const columns = ['server', 'body, MB', 'peak growth, MB', 'of the body', 'peak resident, MB']
  const title = `Memory of one request of ${thousands(RECORDS)} × ${SHAPE}`
  return [{ title, notes: [`Medians of ${bench.rounds} runs.`], tables: [{ columns, rows }] }]
}
