/** Leaks: what callers send is found nowhere, not even when the service is made to fail. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { exchange } from '../../../../../test/support/exchange.ts'
import { SCORE } from '../../../../../test/support/serve.ts'
import { Client } from '../../../../../test/support/client.ts'
import { type Part, type Trial, type Verdict, randomFrom } from '../part.ts'
import { type ServiceProcess, startService } from '../../../../../test/support/service-process.ts'

const CANARIES = 200
const EXIT_MS = 20_000

export const part: Part = {
  name: 'leaks',
  promise:
    '200 canaries in records, headers and keys: 0 found in log, stderr, store, metrics and error bodies, also when an exception is forced',
  defect: 'a forgotten line prints the user agent of each request',
  shortScale: 0.25,
  run,
}

async function run({ seed, scale, planted }: Trial): Promise<Verdict> {
  const service = await startService({
    plants: [planted ? 'printed-bodies' : 'forced-errors'],
    unknownFields: 'report',
  })
  const random = randomFrom(seed)
  const canaries = Array.from({ length: Math.ceil(CANARIES * scale) }, (_, index) =>
    makeCanary(index, random),
  )
  const refusals: string[] = []
  const client = new Client(service, 4)
  const faults: string[] = []
  let forced = 0
  try {
    for (const canary of canaries) {
      for (const { body, ...rest } of hidingPlaces(canary)) {
        const reply = await client.post(body, rest)
        if (reply.status === 500) forced++
        // The request id comes from the caller, and the contract returns it.
        if (reply.status !== 200) refusals.push(reply.body.toString().replace(/"instance":"[^"]*"/, ''))
      }
    }
    refusals.push((await exchange(service.origin, { path: '/metrics' })).text)
    // Last of all the service is brought down by an error that quotes the body.
    const last = canaries[0] ?? ''
    await client.post(`[{"name":"${last} FORCE-LATER"`).catch(() => undefined)
    const code = await Promise.race([service.exited, sleep(EXIT_MS, undefined, { ref: false })])
    if (code !== 70) faults.push(`the forced end gave the exit code ${code}`)
    for (const [place, text] of places(service, refusals)) {
      for (const canary of canaries) if (text.includes(canary)) faults.push(`${place} holds a canary`)
    }
    if (forced === 0) faults.push('no exception was forced')
  } finally {
    client.close()
    await service.stop()
  }
  return {
    faults: [...new Set(faults)],
    figures: { canaries: canaries.length, refusals: refusals.length, forced },
  }
}

/** Half look like names, half like numbers of patients. */
function makeCanary(index: number, random: () => number): string {
  const digits = String(Math.floor(random() * 9e8) + 1e8)
  return index % 2 === 0 ? `Canary${digits}` : `7${digits}31`
}

interface Hidden {
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
  readonly path?: string
}

function hidingPlaces(canary: string): readonly Hidden[] {
  const good = '"age":84,"sex":"F","inpatientAdmissions":2,"emergencyAdmissions":1,"stayDays":7'
  return [
    { body: `[{"idx":1,"name":"${canary}","${canary}":1,"sex":"${canary}",${good}}]` },
    { body: `[{"idx":${/^\d/.test(canary) ? canary : 1},"age":"${canary}","barthel_date":"${canary}"}]` },
    { body: `[{"idx":1,"FORCE-SYNC ${canary}":1}]` },
    { body: `[{"idx":1,"name":"${canary}` },
    { body: `{"name":"${canary}"}` },
    { body: `[]${canary}` },
    { body: '[]', headers: { authorization: `Bearer ${canary}` } },
    { body: '[]', headers: { authorization: `Bearer prk_${canary}` } },
    { body: '[]', headers: { 'content-type': `text/${canary}` } },
    { body: '[]', headers: { 'content-type': 'application/json', 'content-encoding': canary } },
    {
      body: '[',
      headers: { 'user-agent': canary, cookie: canary, referer: canary, 'x-forwarded-for': canary },
    },
    { body: '[]', headers: { 'x-request-id': canary, traceparent: canary } },
    { body: '[]', path: `/${canary}` },
    { body: '[]', path: `${SCORE}/${canary}?name=${canary}` },
  ]
}

function* places(service: ServiceProcess, refusals: readonly string[]): Generator<readonly [string, string]> {
  yield ['the log', service.output()]
  yield ['stderr', service.errors()]
  yield ['an error body or the metrics', refusals.join('\n')]
  for (const file of readdirSync(service.dataDir)) {
    yield [`the file ${file}`, readFileSync(join(service.dataDir, file)).toString('latin1')]
  }
}
