/**
 * A program that uses every call of the TypeScript client, in any runtime: it knows nothing of Node. Tests compile it as the
 * program of a user, and run it against the service with the packed client in Node, Deno, Bun and a browser.
 */
import { DeploymentChangedError, type PatientRecord, RiskClient, RiskServiceError } from 'patient-risk-client'

export interface Addresses {
  readonly origin: string
  readonly key: string
  /** A proxy that loses the first request of an address and is busy at the second. */
  readonly flaky: string
}

const PATIENT = { age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }
const RISK = 0.2294
const isBrowser = 'document' in globalThis

/** Runs every step. Returns their names; throws with the name of the one that failed. */
export async function useClient(addresses: Addresses): Promise<readonly string[]> {
  for (const [name, step] of Object.entries(STEPS)) {
    try {
      await step(addresses)
    } catch (error) {
      throw new Error(`${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    }
  }
  return Object.keys(STEPS)
}

const STEPS: Readonly<Record<string, (addresses: Addresses) => Promise<void>>> = {
  async 'score, validate and explain'({ origin, key }) {
    const client = new RiskClient({ url: origin, key, output: 'number' })
    const records = [{ idx: 1, ...PATIENT }, { idx: 2 }]
    const [scored, refused] = await client.score(records)
    same(scored, { idx: 1, risk: RISK, error_message: null })
    same([refused?.risk, refused?.error_message?.[0]?.Field], [null, 'age'])
    const validity = await client.validate(records)
    same(
      validity.map(({ valid }) => valid),
      [true, false],
    )
    const [explained] = await client.explain(records)
    same(explained?.explanation?.probability, RISK)
    const flags = new RiskClient({ url: `${origin}/flag/`, key, output: 'yes-no' })
    const [flag] = await flags.score(records)
    same(flag?.risk, 'Yes')
  },

  async 'more records than a request may hold, one idx twice'({ origin, key }) {
    const client = new RiskClient({ url: origin, key, output: 'number' })
    const records = [...patients(10_500), { idx: 1, ...PATIENT }]
    const results = await client.score(records)
    same(
      results.map(({ idx }) => idx),
      records.map(({ idx }) => idx),
    )
    const refused = results.filter(({ risk }) => risk !== RISK)
    same(
      refused.map(({ idx, risk }) => [idx, risk]),
      [
        [1, null],
        [1, null],
      ],
    )
  },

  async 'a stream, answered while it is sent'({ origin, key }) {
    const client = new RiskClient({ url: origin, key, output: 'number' })
    let count = 0
    async function* source(): AsyncGenerator<PatientRecord> {
      for (const record of patients(2_500)) {
        // A client that sends everything before it reads would wait here until the test ends.
        while (record.idx === 2_500 && count === 0) await pause()
        yield record
      }
    }
    for await (const { idx, risk } of client.stream(source())) same([idx, risk], [++count, RISK])
    same(count, 2_500)
    // Bytes that fill every buffer on the way.
    for await (const { risk } of client.stream(patients(20_000))) count += risk === RISK ? 1 : 0
    same(count, 22_500)
  },

  async 'a repeated idx in a stream'({ origin, key }) {
    const client = new RiskClient({ url: origin, key, output: 'number' })
    const risks: (number | null)[] = []
    let message = ''
    try {
      const records = [...patients(1_200), { idx: 1, ...PATIENT }]
      for await (const { risk } of client.stream(records)) risks.push(risk)
    } catch (error) {
      message = (error as Error).message
    }
    const isRefused = isBrowser ? message.startsWith('idx 1 is repeated') : risks[1_200] === null
    same([risks.length, isRefused], [isBrowser ? 1_000 : 1_201, true])
  },

  async 'leaving a stream releases its source'({ origin, key }) {
    const client = new RiskClient({ url: origin, key, output: 'number' })
    const state = { isReleased: false }
    for await (const { risk } of client.stream(endless(state))) {
      same(risk, RISK)
      break
    }
    while (!state.isReleased) await pause()
  },

  async 'an error of the source'({ origin, key }) {
    const client = new RiskClient({ url: origin, key, output: 'number' })
    const broken = new Error('the database connection was lost')
    function* source(): Generator<PatientRecord> {
      for (const record of patients(3)) yield record
      throw broken
    }
    const error = await errorOf(async () => {
      for await (const { risk } of client.stream(source())) same(risk, RISK)
    })
    same(error === broken, true)
  },

  async 'a refused key'({ origin }) {
    const client = new RiskClient({ url: origin, key: 'prk_wrong', output: 'number' })
    const state = { isReleased: false }
    for (const call of [
      () => client.score(patients(1)),
      async () => {
        for await (const { idx } of client.stream(endless(state)))
          throw new Error(`an answer: ${String(idx)}`)
      },
    ]) {
      const error = await errorOf(call)
      if (!(error instanceof RiskServiceError)) throw error
      same([error.name, error.problem.status, error.problem.code], ['RiskServiceError', 401, 'KEY_INVALID'])
    }
    while (!state.isReleased) await pause()
  },

  async ifMatch({ origin, key }) {
    const client = new RiskClient({ url: origin, key, output: 'number' })
    for await (const { risk } of client.stream(patients(1))) same(risk, RISK)
    const ifMatch = client.deploymentDigest ?? ''
    const [result] = await new RiskClient({ url: origin, key, output: 'number', ifMatch }).score(patients(1))
    same(result?.risk, RISK)
    const other = new RiskClient({ url: `${origin}/flag`, key, output: 'yes-no', ifMatch })
    const error = await errorOf(() => other.score(patients(1)))
    if (!(error instanceof DeploymentChangedError)) throw error
    same([error.problem.status, error.deploymentDigest === ifMatch], [412, false])
  },

  async 'retries after a lost connection and 503'({ flaky, key }) {
    const client = new RiskClient({ url: flaky, key, output: 'number' })
    const [result] = await client.score(patients(1))
    same(result?.risk, RISK)
  },

  async 'no answer in time'({ origin, key }) {
    const silent = (_: unknown, init?: RequestInit): Promise<Response> =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error))
      })
    const client = new RiskClient({
      url: origin,
      key,
      output: 'number',
      retries: 1,
      timeoutMs: 20,
      fetch: silent,
    })
    const error = await errorOf(() => client.score(patients(1)))
    same((error as Error).name, 'TimeoutError')
  },

  async 'aborted calls'({ origin, key }) {
    const busy = (): Promise<Response> =>
      Promise.resolve(new Response('busy', { status: 503, headers: { 'retry-after': '60' } }))
    const enough = new Error('enough')
    for (const client of [
      new RiskClient({ url: origin, key, output: 'number' }),
      new RiskClient({ url: origin, key, output: 'number', fetch: busy }),
    ]) {
      for (const delayMs of [undefined, 0, 1]) {
        const controller = new AbortController()
        const call = errorOf(() => client.score(patients(10_000), { signal: controller.signal }))
        if (delayMs === undefined) controller.abort(enough)
        else setTimeout(() => controller.abort(enough), delayMs)
        same((await call) === enough, true)
      }
    }
    const client = new RiskClient({ url: origin, key, output: 'number' })
    const controller = new AbortController()
    const state = { isReleased: false }
    const error = await errorOf(async () => {
      for await (const { idx } of client.stream(endless(state), { signal: controller.signal })) {
        if (idx === 10) controller.abort(enough)
      }
    })
    same(error === enough, true)
    while (!state.isReleased) await pause()
  },
}

function patients(count: number): PatientRecord[] {
  return Array.from({ length: count }, (_, index) => ({ idx: index + 1, ...PATIENT }))
}

async function* endless(state: { isReleased: boolean }): AsyncGenerator<PatientRecord> {
  try {
    for (let idx = 1; ; idx++) {
      if (idx % 100 === 0) await pause()
      yield { idx, ...PATIENT }
    }
  } finally {
    state.isReleased = true
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1))
}

async function errorOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    await call()
  } catch (error) {
    return error
  }
  throw new Error('it did not fail')
}

function same(actual: unknown, expected: unknown): void {
  const is = JSON.stringify(actual)
  const should = JSON.stringify(expected)
  if (is !== should) throw new Error(`${is} instead of ${should}`)
}
