/** The parts of the benchmark. Each gives a section of the results; each can be run alone by its name. */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Bench } from './bench.ts'
import { bodyFile, thousands } from './bodies.ts'
import { type Measured, measure, runClient } from './measure.ts'
import { fhirPart } from './parts/fhir.ts'
import { filesPart } from './parts/files.ts'
import { besideBatchesPart } from './parts/beside-batches.ts'
import { processesPart } from './parts/processes.ts'
import { SHAPES, makePayload } from './payloads.ts'
import { type Server, startFastApi, startRust, startScript, startService } from './server-process.ts'
import { type Row, table } from './table.ts'

export type Part = (bench: Bench) => Promise<string>

export const PARTS: Readonly<Record<string, Part>> = {
  floor: (bench) => against(bench, 'Against the bare floor', [100, 1_000, 10_000], 8),
  single: (bench) => against(bench, 'A single record a request', [1], 64),
  faulty: faultyPart,
  memory: memoryPart,
  processes: processesPart,
  'beside-batches': besideBatchesPart,
  files: filesPart,
  fhir: fhirPart,
  peers: peersPart,
}

async function against(
  bench: Bench,
  title: string,
  batches: readonly number[],
  connections: number,
): Promise<string> {
  const servers = [
    await startService('service', 'bytes'),
    await startService('service, two processes', 'bytes', 2),
    await startService('service, reference path', 'reference'),
    await startScript('fastify alone', 'bench/servers/fastify.ts'),
    await startScript('bare floor', 'bench/servers/floor.ts'),
  ]
  const rows: Row[] = []
  try {
    for (const shape of SHAPES) {
      for (const records of batches) {
        const load = { ...bench, bodyFile: bodyFile(bench, shape, records, false), records, connections }
        const measured = await measure(servers, load)
        rows.push(...rowsOf(`${records} × ${shape}`, servers, measured))
      }
    }
  } finally {
    await stopAll(servers)
  }
  return `## ${title}\n\n${connections} connections.\n\n${table(rows)}`
}

/** Clean and faulty bodies in turns on the same server. */
async function faultyPart(bench: Bench): Promise<string> {
  const server = await startService('service', 'bytes')
  const lines: string[] = []
  try {
    for (const shape of SHAPES) {
      const load = { ...bench, records: 1_000, connections: 4, rounds: 1 }
      const clean: Measured[] = []
      const faulty: Measured[] = []
      for (let round = 0; round < bench.rounds; round++) {
        clean.push(...(await measure([server], { ...load, bodyFile: bodyFile(bench, shape, 1_000, false) })))
        faulty.push(...(await measure([server], { ...load, bodyFile: bodyFile(bench, shape, 1_000, true) })))
      }
      const [a, b] = [middle(clean), middle(faulty)]
      const ratio = (b.recordsPerSecond / a.recordsPerSecond).toFixed(2)
      lines.push(
        `| 1000 × ${shape} | ${thousands(a.recordsPerSecond)} | ${thousands(b.recordsPerSecond)} | ${ratio} | ${(a.cpuUs / b.cpuUs).toFixed(2)} |`,
      )
    }
  } finally {
    await server.stop()
  }
  const head =
    '| payload | clean, records/s | 5 % faulty, records/s | ratio | ratio by CPU |\n|---|---|---|---|---|'
  return `## Records with faults\n\n${head}\n${lines.join('\n')}\n`
}

/** What one large request adds to the memory of a server that has answered small ones. */
async function memoryPart(bench: Bench): Promise<string> {
  const lines: string[] = []
  const body = makePayload(bench.plan, '50 fields', 10_000, false)
  const file = join(bench.folder, 'large.json')
  writeFileSync(file, body)
  const servers = [
    await startService('service', 'bytes'),
    await startService('service, reference path', 'reference'),
    await startScript('bare floor', 'bench/servers/floor.ts'),
  ]
  try {
    for (const server of servers) {
      const small = bodyFile(bench, '50 fields', 10, false)
      await runClient(server, { bodyFile: small, connections: 1, seconds: 1 })
      const before = server.memory().peak
      await runClient(server, { bodyFile: file, connections: 1, seconds: 0 })
      const growth = Math.max(0, server.memory().peak - before)
      lines.push(
        `| ${server.name} | ${megabytes(body.length)} | ${megabytes(growth)} | ${(growth / body.length).toFixed(1)} × | ${megabytes(server.memory().peak)} |`,
      )
    }
  } finally {
    await stopAll(servers)
  }
  const head =
    '| server | body, MB | peak growth, MB | of the body | peak resident, MB |\n|---|---|---|---|---|'
  return `## Memory of one request of 10,000 × 50 fields\n\n${head}\n${lines.join('\n')}\n`
}

async function peersPart(bench: Bench): Promise<string> {
  const fieldsFile = join(bench.folder, 'fields.json')
  const plain = bench.plan.fields.map(({ name, domain }) => ({
    name,
    domain: domain.kind === 'code' ? { kind: 'code', codes: [...domain.codes.keys()] } : domain,
  }))
  writeFileSync(fieldsFile, JSON.stringify(plain))
  const title = '## The same job elsewhere'
  const peers = [
    await startFastApi(fieldsFile, await freePort()),
    await startRust(fieldsFile, await freePort()),
  ]
  const present = peers.flatMap(({ server }) => server ?? [])
  const missing = peers.flatMap((peer) => (peer.missing === '' ? [] : [`Not measured: ${peer.missing}`]))
  if (present.length === 0) return `${title}\n\n${missing.join('\n')}\n`
  const services = [
    await startService('service', 'bytes'),
    await startService('service, two processes', 'bytes', 2),
  ]
  const rows: Row[] = []
  try {
    for (const peer of present) {
      for (const records of [1, 100, 1_000]) {
        const file = bodyFile(bench, '50 fields', records, false)
        const load = { ...bench, bodyFile: file, records, connections: 8 }
        const servers = [...services, peer]
        rows.push(...rowsOf(`${records} × 50 fields`, servers, await measure(servers, load)))
      }
    }
  } finally {
    await stopAll([...services, ...present])
  }
  const versions = present.map((peer) => peer.versions).join('; ')
  const head = `${versions}. 8 connections.\nRatios are against the peer below the services. The peers have no keys and no audit.`
  return `${title}\n\n${[head, ...missing].join('\n')}\n\n${table(rows)}`
}

/** The last of the servers is the one that the ratios are taken against. */
function rowsOf(payload: string, servers: readonly Server[], measured: readonly Measured[]): Row[] {
  const base = measured.at(-1) as Measured
  return servers.map(({ name }, index) => ({ payload, name, base, measured: measured[index] as Measured }))
}

function middle(list: readonly Measured[]): Measured {
  return [...list].sort((a, b) => a.recordsPerSecond - b.recordsPerSecond)[list.length >> 1] as Measured
}

async function stopAll(servers: readonly Server[]): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()))
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1)
}
