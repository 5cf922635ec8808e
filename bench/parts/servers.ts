/** The service against the servers that docs/speed.md describes, at requests of 1 to 10,000 records. */
import type { Bench } from '../bench.ts'
import { bodyFile } from '../bodies.ts'
import {
  CLIENT_WARM_SECONDS,
  type Measured,
  type Round,
  SMALL_BATCH,
  WARM_ROUNDS,
  WARM_SECONDS,
  measure,
} from '../measure.ts'
import type { Shape } from '../payloads.ts'
import type { Section } from '../results.ts'
import { requireChecks, requireSameAnswers } from '../same-answers.ts'
import type { Server } from '../server-process.ts'
import { medianOf, printRange, printRatio, ratioOf, spreadOf, thousands } from '../spread.ts'
import {
  startFastApi,
  startFastifyPeer,
  startRust,
  startScript,
  startService,
  stopAll,
} from '../start-servers.ts'

const SERVICE = 'service'
const TWO = 'service, two processes'
const FASTIFY = 'fastify alone'
/** What the service is compared with, in the order of the tables. */
const BASES = {
  floor: 'bare floor',
  fastify: FASTIFY,
  peer: 'fastify, pino, SQLite',
  grouped: 'fastify, pino, SQLite, group commit',
  fastApi: 'FastAPI, pydantic 2',
  rust: 'Rust, axum, sonic-rs',
} as const

interface Workload {
  readonly shape: Shape
  readonly records: number
  readonly connections: number
  /** Whether every server takes part, or those alone that are written for Node and know every field. */
  readonly isForAll: boolean
}

const WORKLOADS: readonly Workload[] = [
  { shape: '50 fields', records: 1, connections: 64, isForAll: true },
  { shape: '50 fields', records: 100, connections: 8, isForAll: true },
  { shape: '50 fields', records: 1_000, connections: 8, isForAll: true },
  { shape: '50 fields', records: 10_000, connections: 8, isForAll: false },
  { shape: '10 fields', records: 1, connections: 64, isForAll: false },
  { shape: '10 fields', records: 100, connections: 8, isForAll: false },
  { shape: '10 fields', records: 1_000, connections: 8, isForAll: false },
  { shape: '10 fields', records: 10_000, connections: 8, isForAll: false },
  { shape: 'sparse', records: 1, connections: 64, isForAll: false },
  { shape: 'sparse', records: 1_000, connections: 8, isForAll: false },
]

interface Line {
  readonly workload: Workload
  readonly measured: Measured
}

export async function serversPart(bench: Bench): Promise<readonly Section[]> {
  const external = [await startFastApi(BASES.fastApi, bench), await startRust(BASES.rust, bench)]
  const forAll: Server[] = external.flatMap(({ server }) => server ?? [])
  const forNode: Server[] = []
  try {
    forNode.push(await startService(SERVICE, 'bytes'))
    forNode.push(await startService(TWO, 'bytes', 2))
    forNode.push(await startFastifyPeer(BASES.peer, bench, 'each'))
    forAll.push(await startFastifyPeer(BASES.grouped, bench, 'grouped'))
    forAll.push(await startService('service, reference path', 'reference'))
    await requireSameAnswers([...forNode, ...forAll], bodyFile(bench, '50 fields', SMALL_BATCH, false))
    await requireSameAnswers([...forNode, ...forAll], bodyFile(bench, '10 fields', SMALL_BATCH, false))
    await requireSameAnswers(forNode, bodyFile(bench, 'sparse', SMALL_BATCH, false))
    await requireChecks([...forNode, ...forAll])
    forNode.push(await startScript(BASES.fastify, 'bench/servers/fastify.ts'))
    forNode.push(await startScript(BASES.floor, 'bench/servers/floor.ts'))
    const lines: Line[] = []
    for (const workload of WORKLOADS) {
      const { shape, records, connections, isForAll } = workload
      const load = { ...bench, bodyFile: bodyFile(bench, shape, records, false), records, connections }
      lines.push({ workload, measured: await measure(isForAll ? [...forNode, ...forAll] : forNode, load) })
    }
    const missing = external.flatMap((peer) => (peer.missing === '' ? [] : [peer.missing]))
    return [ratios(lines), singleRecords(lines), details(lines, [...forNode, ...forAll], missing)]
  } finally {
    await stopAll([...forNode, ...forAll])
  }
}

function ratios(lines: readonly Line[]): Section {
  const rows = lines.flatMap(({ workload, measured }) =>
    Object.values(BASES).flatMap((base) => {
      const others = measured.get(base)
      if (others === undefined) return []
      const cpu = ratioOf(others, roundsOf(measured, SERVICE), 'cpuUs')
      const speeds = [SERVICE, TWO].flatMap((name) => {
        const ratio = ratioOf(roundsOf(measured, name), others, 'recordsPerSecond')
        return [printRatio(ratio.median), printRange(ratio)]
      })
      return [
        [
          nameOf(workload),
          `${workload.connections}`,
          base,
          ...speeds,
          printRatio(cpu.median),
          printRange(cpu),
        ],
      ]
    }),
  )
  return {
    title: 'The service against other servers',
    notes: [
      'Records a second of the service, divided by those of the other server; processor time the other way round. Above 1 it is ahead.',
    ],
    tables: [
      {
        columns: [
          'payload',
          'callers',
          'against',
          'one process',
          'range',
          'two processes',
          'range',
          'by processor time, one process',
          'range',
        ],
        rows,
      },
    ],
  }
}

function singleRecords(lines: readonly Line[]): Section {
  const rows = lines
    .filter(({ workload }) => workload.records === 1)
    .map(({ workload, measured }) => {
      const own = roundsOf(measured, SERVICE)
      const fastify = roundsOf(measured, FASTIFY)
      const ratio = ratioOf(own, fastify, 'cpuUs')
      const times = [own, fastify].map((rounds) => medianOf(rounds, 'cpuUs').toFixed(1))
      return [nameOf(workload), ...times, printRatio(ratio.median), printRange(ratio)]
    })
  return {
    title: 'Processor time of a single record',
    notes: [
      'One process, 64 callers, against fastify alone, which has no duties. Here a lower ratio is better.',
    ],
    tables: [{ columns: ['payload', 'service, µs', 'fastify alone, µs', 'ratio', 'range'], rows }],
  }
}

function details(lines: readonly Line[], servers: readonly Server[], missing: readonly string[]): Section {
  const versions = new Set(servers.flatMap((server) => (server.versions === '' ? [] : [server.versions])))
  const rows = lines.flatMap(({ workload, measured }) =>
    [...measured].map(([name, rounds]) => {
      const speed = spreadOf(rounds.map(({ recordsPerSecond }) => recordsPerSecond))
      const refused = rounds.reduce((sum, round) => sum + round.refused, 0)
      return [
        nameOf(workload),
        `${workload.connections}`,
        refused === 0 ? name : `${name} (${refused} requests refused)`,
        thousands(speed.median),
        `${thousands(speed.least)}–${thousands(speed.most)}`,
        ...(['cpuUs', 'p50Ms', 'p99Ms'] as const).map((figure) => medianOf(rounds, figure).toFixed(2)),
      ]
    }),
  )
  return {
    title: 'Each server',
    notes: [
      `${[...versions].join(';\n')}.`,
      `Each server had ${WARM_SECONDS} seconds of its first payload, and ${WARM_ROUNDS} rounds of each, to warm up.
The client is a new process in each round; up to ${SMALL_BATCH} records a request, its first ${CLIENT_WARM_SECONDS} s do not count.`,
    ],
    tables: [
      {
        columns: [
          'payload',
          'callers',
          'server',
          'records/s',
          'range',
          'processor time, µs a record',
          'p50 ms',
          'p99 ms',
        ],
        rows,
      },
    ],
    missing,
  }
}

function nameOf({ records, shape }: Workload): string {
  return `${thousands(records)} × ${shape}`
}

function roundsOf(measured: Measured, name: string): readonly Round[] {
  return measured.get(name) ?? []
}
