/**
 * FHIR: a Bundle of 1,000 patients and about 20 MB in one call, beside JSON.parse of the same bytes; and the memory of lines of
 * Bundles, which must not grow with their number. FHIR_PATIENTS=100 measures another size.
 */
import type { Bench } from '../bench.ts'
import { bundle } from '../bundle.ts'
import type { Section, Table } from '../results.ts'
import type { Server } from '../server-process.ts'
import { median, megabytes, thousands } from '../spread.ts'
import { startService } from '../start-servers.ts'

const PATIENTS = Number(process.env['FHIR_PATIENTS'] ?? 1_000)
const PATIENTS_A_LINE = 10
const LINES = [50, 500]
const MOST_RUNS = 3

export async function fhirPart({ rounds }: Bench): Promise<readonly Section[]> {
  const body = Buffer.from(bundle(0, PATIENTS))
  const server = await startService('service', 'bytes')
  try {
    // The first call loads the libraries for FHIRPath and units.
    await send(server, Buffer.from(bundle(0, 1)), 'application/fhir+json')
    const before = server.memory().peak
    const calls = { seconds: [] as number[], cpuMs: [] as number[], parseMs: [] as number[] }
    for (let round = 0; round < rounds; round++) {
      const cpu = server.cpuMs()
      calls.seconds.push((await send(server, body, 'application/fhir+json')) / 1000)
      calls.cpuMs.push(server.cpuMs() - cpu)
      const start = performance.now()
      JSON.parse(body.toString())
      calls.parseMs.push(performance.now() - start)
    }
    const growth = Math.max(0, server.memory().peak - before)
    const seconds = median(calls.seconds)
    const cpuMs = median(calls.cpuMs)
    const parseMs = median(calls.parseMs)
    const row = [
      `${PATIENTS} patients, ${megabytes(body.length)} MB`,
      seconds.toFixed(2),
      (cpuMs / 1000).toFixed(2),
      `${((seconds * 1000) / parseMs).toFixed(1)} ×`,
      `${megabytes(growth)} (${(growth / body.length).toFixed(1)} × the body)`,
    ]
    const bundles = {
      columns: ['body', 'seconds', 'processor seconds', 'of JSON.parse', 'growth of the peak, MB'],
      rows: [row],
    }
    return [
      {
        title: 'FHIR: a Bundle in one call',
        notes: [`Medians of ${rounds} runs; the peak is that of all.`],
        tables: [bundles],
      },
      {
        title: 'FHIR: lines of Bundles',
        notes: [`\`application/fhir+ndjson\`. Medians of ${Math.min(rounds, MOST_RUNS)} runs.`],
        tables: [await linesTable(Math.min(rounds, MOST_RUNS))],
      },
    ]
  } finally {
    await server.stop()
  }
}

/** A new service for each run: a peak does not go down again. */
async function linesTable(runs: number): Promise<Table> {
  const rows: string[][] = []
  const line = Buffer.from(`${bundle(0, PATIENTS_A_LINE)}\n`)
  for (const count of LINES) {
    const speeds: number[] = []
    const growths: number[] = []
    for (let run = 0; run < runs; run++) {
      const server = await startService('service', 'bytes')
      try {
        await send(server, Buffer.from(bundle(0, 1)), 'application/fhir+json')
        const before = server.memory().peak
        const ms = await send(server, repeated(line, count), 'application/fhir+ndjson')
        growths.push(Math.max(0, server.memory().peak - before))
        speeds.push((count * PATIENTS_A_LINE * 1000) / ms)
      } finally {
        await server.stop()
      }
    }
    const name = `${count} × ${PATIENTS_A_LINE} patients`
    rows.push([name, megabytes(line.length * count), thousands(median(speeds)), megabytes(median(growths))])
  }
  return { columns: ['lines', 'MB in all', 'patients/s', 'growth of the peak, MB'], rows }
}

function repeated(line: Uint8Array, count: number): ReadableStream<Uint8Array> {
  let left = count
  return new ReadableStream({
    pull(controller) {
      if (left-- > 0) controller.enqueue(line)
      else controller.close()
    },
  })
}

/** Milliseconds from the first byte sent to the last byte read. */
async function send(
  { port, key }: Server,
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
  type: string,
): Promise<number> {
  const start = performance.now()
  const request: RequestInit & { readonly duplex: 'half' } = {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': type },
    body,
    duplex: 'half',
  }
  const response = await fetch(
    `http://127.0.0.1:${port}/fhir/$score?history=complete&asOf=2026-03-09`,
    request,
  )
  if (!response.ok || response.body === null) throw new Error(`the service answered ${response.status}`)
  await response.body.pipeTo(new WritableStream())
  return performance.now() - start
}
