/**
 * Callers that load a service without pause, each with one kind of request, and a single patient beside them.
 * `node bench/neighbours.ts ORIGIN KEY KIND SECONDS` sends one kind of request for some seconds, and prints one line of JSON.
 */
import { randomUUID } from 'node:crypto'
import { Agent, type IncomingMessage, request } from 'node:http'
import { bundle } from './bundle.ts'

const SCORING = '/risk/api/do/v0'
const BATCH = 10_000
/** A body of outcomes changes as many counts as one may. */
const OUTCOMES = 9_990
/** Below the size from which a body goes to a worker, and as many steps of work for each byte as a body can have. */
const EXPLAINED = 1_000
const BUNDLE_PATIENTS = 50
const CLIENTS = 4
/** The status of an answer that did not come to its end. */
const CUT_OFF = 0

interface Call {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly type?: string
  readonly body?: Buffer
  /** Each body has a name of its own: a repeat would not be counted. */
  readonly isNamed?: boolean
}

/** What one kind of neighbour sends. */
type Kind = (origin: string, key: string) => Call | Promise<Call>

export const KINDS: Readonly<Record<string, Kind>> = {
  'batches of 10,000': () => json(SCORING, records(BATCH)),
  'explain, all inputs missing': () => json(`${SCORING}/explain`, empty(EXPLAINED)),
  'outcomes, 9,990 in a body': async (origin, key) => ({
    ...json(`${SCORING}/outcomes`, outcomes(await digestOf(origin, key))),
    isNamed: true,
  }),
  performance: () => ({ method: 'GET', path: `${SCORING}/performance` }),
  'FHIR, 50 patients': () => ({
    method: 'POST',
    path: '/fhir/$score?history=complete&asOf=2026-03-09',
    type: 'application/fhir+json',
    body: Buffer.from(bundle(0, BUNDLE_PATIENTS)),
  }),
  'streams of 10,000': () => ({
    method: 'POST',
    path: SCORING,
    type: 'application/x-ndjson',
    body: Buffer.from(
      records(BATCH)
        .map((each) => `${JSON.stringify(each)}\n`)
        .join(''),
    ),
  }),
}

function record(idx: number): Readonly<Record<string, unknown>> {
  return {
    idx,
    age: 65 + (idx % 30),
    sex: 'F',
    inpatientAdmissions: idx % 5,
    emergencyAdmissions: 1,
    stayDays: 7,
  }
}

const records = (count: number): readonly object[] => Array.from({ length: count }, (_, idx) => record(idx))
const empty = (count: number): readonly object[] => Array.from({ length: count }, (_, idx) => ({ idx }))
const json = (path: string, body: readonly object[]): Call => ({
  method: 'POST',
  path,
  type: 'application/json',
  body: Buffer.from(JSON.stringify(body)),
})

/** As many different counts as elements: each bin of risk, both outcomes, and months of the last years. */
function outcomes(digest: string): readonly object[] {
  const now = new Date()
  const month = (ago: number): string =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago)).toISOString().slice(0, 7)
  return Array.from({ length: OUTCOMES }, (_, idx) => ({
    idx,
    risk: (idx % 999) / 1_000 + 0.0005,
    outcome: Math.floor(idx / 999) % 2 === 0,
    digest,
    scored: month(3 + Math.floor(idx / 1_998)),
  }))
}

async function digestOf(origin: string, key: string): Promise<string> {
  const response = await fetch(origin + SCORING, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify([record(1)]),
  })
  const digest = response.headers.get('risk-deployment-digest')
  if (digest === null) throw new Error(`the service answered ${response.status} and no digest`)
  return digest
}

/** Sends a request and reads its answer to the end. */
export function send(origin: string, key: string, agent: Agent, call: Call): Promise<number> {
  const { method, path, type, body, isNamed } = call
  const headers = {
    authorization: `Bearer ${key}`,
    ...(type && { 'content-type': type }),
    ...(body && { 'content-length': body.length }),
    ...(isNamed && { 'idempotency-key': randomUUID() }),
  }
  return new Promise((resolve, reject) => {
    const answered = (response: IncomingMessage): void => {
      const { statusCode = 0 } = response
      // A stream that is cut off closes without an end.
      response.on('close', () => resolve(response.complete ? statusCode : CUT_OFF)).resume()
    }
    request(origin + path, { method, agent, headers }, answered)
      .on('error', reject)
      .end(body)
  })
}

export const SINGLE = json(SCORING, [record(1)])

export interface Load {
  readonly answered: number
  /** Answers with another status than 200, by status. */
  readonly refused: Readonly<Record<string, number>>
}

if (import.meta.main) {
  const [origin, key, name, seconds] = process.argv.slice(2) as [string, string, string, string]
  const kind = KINDS[name]
  if (kind === undefined)
    throw new Error(`There is no kind "${name}". There are ${Object.keys(KINDS).join(', ')}.`)
  const call = await kind(origin, key)
  const refused: Record<string, number> = {}
  const end = performance.now() + Number(seconds) * 1_000
  let answered = 0
  const client = async (): Promise<void> => {
    const agent = new Agent({ keepAlive: true })
    while (performance.now() < end) {
      const status = await send(origin, key, agent, call)
      if (status === 200) answered++
      else refused[status] = (refused[status] ?? 0) + 1
    }
    agent.destroy()
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  process.stdout.write(`${JSON.stringify({ answered, refused } satisfies Load)}\n`)
}
