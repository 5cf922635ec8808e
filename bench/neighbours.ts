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
/** Months whose counts each client corrects. A correction takes from a count, adds to one, and is looked at: three changes of a body. */
const CORRECTED_MONTHS = 3
const BINS = 999
/** Below the size from which a body goes to a worker, and as many steps of work for each byte as a body can have. */
const EXPLAINED = 1_000
const BUNDLE_PATIENTS = 50
/** Each has an answer of 130 bytes. */
const SHORT_LINES = 100_000
const CLIENTS = 4
/** The status of an answer that did not come to its end. */
const CUT_OFF = 0
const OK = 200

interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly type?: string
  readonly body?: Buffer
  /** Each body has a name of its own: a repeat would not be counted. */
  readonly isNamed?: boolean
  /** A body in place of `body`, another one each time. */
  readonly next?: (client: number) => Buffer
  /** The answer is a job: it is waited for, its results are read, and it is removed. */
  readonly isJob?: boolean
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
  'outcomes, 2,997 corrections in a body': async (origin, key) => {
    const digest = await digestOf(origin, key)
    const first = Array.from({ length: CLIENTS }, (_, client) => corrected(digest, client))
    for (const own of first)
      await send(origin, key, new Agent(), { ...json(`${SCORING}/outcomes`, own), isNamed: true })
    const times = first.map(() => 0)
    // To and fro: each body finds the counts that it corrects.
    const next = (client: number): Buffer => {
      const isEvent = (times[client] as number)++ % 2 === 1
      const moved = first[client]?.map((each) => ({ ...each, outcome: isEvent, was: !isEvent }))
      return Buffer.from(JSON.stringify(moved))
    }
    return { ...json(`${SCORING}/outcomes`, []), isNamed: true, next }
  },
  performance: () => ({ method: 'GET', path: `${SCORING}/performance` }),
  'jobs of 10,000': () => ({ ...json(`${SCORING}/jobs`, records(BATCH)), isNamed: true, isJob: true }),
  'jobs of 100,000 lines of two bytes': () => ({
    ...lines(`${SCORING}/jobs`, '1\n'.repeat(SHORT_LINES)),
    isNamed: true,
    isJob: true,
  }),
  'batches of 10,000 with receipts': () => json(`${SCORING}?receipts=true`, records(BATCH)),
  'FHIR, 50 patients': () => ({
    method: 'POST',
    path: '/fhir/$score?history=complete&asOf=2026-03-09',
    type: 'application/fhir+json',
    body: Buffer.from(bundle(0, BUNDLE_PATIENTS)),
  }),
  'streams of 10,000': () =>
    lines(
      SCORING,
      records(BATCH)
        .map((each) => `${JSON.stringify(each)}\n`)
        .join(''),
    ),
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

const lines = (path: string, body: string): Call => ({
  method: 'POST',
  path,
  type: 'application/x-ndjson',
  body: Buffer.from(body),
})

/** As many different counts as elements: each bin of risk, both outcomes, and months of the last years. */
function outcomes(digest: string): readonly object[] {
  return Array.from({ length: OUTCOMES }, (_, idx) => ({
    idx,
    risk: (idx % 999) / 1_000 + 0.0005,
    outcome: Math.floor(idx / 999) % 2 === 0,
    digest,
    scored: monthBefore(3 + Math.floor(idx / 1_998)),
  }))
}

function monthBefore(months: number): string {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months)).toISOString().slice(0, 7)
}

/** One event in each bin of some months that belong to this client alone. */
function corrected(digest: string, client: number): readonly object[] {
  return Array.from({ length: CORRECTED_MONTHS * BINS }, (_, idx) => ({
    idx,
    risk: (idx % BINS) / 1_000 + 0.0005,
    outcome: true,
    digest,
    scored: monthBefore(3 + client * CORRECTED_MONTHS + Math.floor(idx / BINS)),
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

/** Sends a request and reads its answer to the end, and that of its job. */
export async function send(
  origin: string,
  key: string,
  agent: Agent,
  call: Call,
  client = 0,
): Promise<number> {
  const own = call.next === undefined ? call : { ...call, body: call.next(client) }
  const { status, location } = await exchange(origin, key, agent, own)
  return call.isJob === true && location !== undefined ? endOfJob(origin, key, agent, location) : status
}

const ACCEPTED = 202
const POLL_MS = 20

async function endOfJob(origin: string, key: string, agent: Agent, path: string): Promise<number> {
  const at = (method: Call['method'], own = path): ReturnType<typeof exchange> =>
    exchange(origin, key, agent, { method, path: own })
  let { status } = await at('GET')
  while (status === ACCEPTED) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    status = (await at('GET')).status
  }
  const results = await at('GET', `${path}/files/results.ndjson`)
  await at('DELETE')
  return status === OK ? results.status : status
}

interface Exchanged {
  readonly status: number
  readonly location: string | undefined
}

function exchange(origin: string, key: string, agent: Agent, call: Call): Promise<Exchanged> {
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
      const location = response.headers['content-location']
      const end = (): void => resolve({ status: response.complete ? statusCode : CUT_OFF, location })
      // A stream that is cut off closes without an end.
      response.on('close', end).resume()
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
  const client = async (number: number): Promise<void> => {
    const agent = new Agent({ keepAlive: true })
    while (performance.now() < end) {
      const status = await send(origin, key, agent, call, number)
      if (status === OK) answered++
      else refused[status] = (refused[status] ?? 0) + 1
    }
    agent.destroy()
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)))
  process.stdout.write(`${JSON.stringify({ answered, refused } satisfies Load)}\n`)
}
