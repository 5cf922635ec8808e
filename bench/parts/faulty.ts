/** Clean and faulty bodies in turns on the same server. */
import type { Bench } from '../bench.ts'
import { bodyFile } from '../bodies.ts'
import { type Load, type Round, WARM_ROUNDS, measureRound, warmUp } from '../measure.ts'
import { SHAPES } from '../payloads.ts'
import type { Section } from '../results.ts'
import { medianOf, printRange, printRatio, ratioOf, thousands } from '../spread.ts'
import { startService } from '../start-servers.ts'

const RECORDS = 1_000
const CONNECTIONS = 4

export async function faultyPart(bench: Bench): Promise<readonly Section[]> {
  const server = await startService('service', 'bytes')
  const rows: string[][] = []
  try {
    for (const shape of SHAPES) {
      const body = (isFaulty: boolean): Body => {
        const load = { ...bench, records: RECORDS, connections: CONNECTIONS }
        return { rounds: [], load: { ...load, bodyFile: bodyFile(bench, shape, RECORDS, isFaulty) } }
      }
      const clean = body(false)
      const faulty = body(true)
      await warmUp(server, clean.load)
      for (let round = -WARM_ROUNDS; round < bench.rounds; round++) {
        for (const { load, rounds } of [clean, faulty]) {
          const measured = await measureRound(server, load)
          if (round >= 0) rounds.push(measured)
        }
      }
      const speeds = [clean, faulty].map(({ rounds }) => thousands(medianOf(rounds, 'recordsPerSecond')))
      const ratio = ratioOf(faulty.rounds, clean.rounds, 'recordsPerSecond')
      const cpu = ratioOf(clean.rounds, faulty.rounds, 'cpuUs')
      const name = `${thousands(RECORDS)} × ${shape}`
      rows.push([name, ...speeds, printRatio(ratio.median), printRange(ratio), printRatio(cpu.median)])
    }
  } finally {
    await server.stop()
  }
  const columns = [
    'payload',
    'clean, records/s',
    '5 % faulty, records/s',
    'ratio',
    'range',
    'by processor time',
  ]
  return [{ title: 'Records with faults', notes: [], tables: [{ columns, rows }] }]
}

interface Body {
  readonly rounds: Round[]
  readonly load: Load
}
