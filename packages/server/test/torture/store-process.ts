/** The service on a given folder or database, to be killed and started again there. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { factsOf } from '../../src/store/audit/audit-facts.ts'
import { countUsage } from '../../src/store/audit/usage.ts'
import { allRows } from '../../src/store/audit/verify-chain.ts'
import type { Store } from '../../src/store/store.ts'
import { exchange, type Answer } from '../../../../test/support/exchange.ts'
import { SCORE } from '../../../../test/support/serve.ts'
import { until } from '../../../../test/support/until.ts'

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))
const RECORD = '[{"idx":1,"age":84,"sex":"F","inpatientAdmissions":2,"emergencyAdmissions":1,"stayDays":7}]'

const START_MS = 240_000

export interface Start {
  readonly dataDir: string
  /** Whether its store has no key yet, so that it makes one, prints it, and is waited for until it has. */
  readonly isFirst?: boolean
  readonly databaseUrl?: string
  readonly keySecret?: string
  /** A module of `plants` that adds a defect before the service starts. */
  readonly plant?: string
  /** The largest file that it may write, in blocks of 512 bytes. */
  readonly fileBlocks?: number
  /** Requests a minute of a key; none without it. */
  readonly requestsPerMinute?: number
  readonly unknownFields?: 'report'
  /** Threads that score; as many as a service starts by itself without it. */
  readonly workers?: number
}

export interface Running {
  readonly origin: string
  /** The key of the first start; undefined at later ones. */
  readonly key: string | undefined
  readonly child: ChildProcess
  /** From the start of the process until it listens. */
  readonly startMs: number
  /** What it has printed, up to a bound. */
  printed(): string
  kill(signal?: NodeJS.Signals): Promise<void>
}

export async function startOn(start: Start): Promise<Running> {
  const config = join(start.dataDir, 'config.json')
  const { unknownFields = 'ignore', requestsPerMinute = null } = start
  const limits = { requestsPerMinute, recordsPerMinute: null }
  writeFileSync(
    config,
    JSON.stringify({
      deployments: [
        {
          name: 'readmission',
          basePath: '/',
          model: 'readmission30',
          output: 'number',
          limits,
          unknownFields,
        },
      ],
    }),
  )
  const plant =
    start.plant === undefined ? [] : ['--import', `./packages/server/test/torture/plants/${start.plant}.ts`]
  const limit = start.fileBlocks === undefined ? '' : `ulimit -f ${start.fileBlocks}; `
  const began = performance.now()
  const child = spawn(
    'sh',
    [
      '-c',
      `${limit}exec "$@"`,
      'sh',
      process.execPath,
      ...plant,
      'packages/patient-risk/src/cli/main.ts',
      'serve',
    ],
    {
      cwd: ROOT,
      env: {
        ...process.env,
        CONFIG: config,
        DATA_DIR: start.dataDir,
        PORT: '0',
        LOG_LEVEL: 'info',
        ...(start.databaseUrl === undefined ? {} : { DATABASE_URL: start.databaseUrl }),
        ...(start.workers === undefined ? {} : { WORKERS: String(start.workers) }),
        ...(start.keySecret === undefined ? {} : { KEY_SECRET: start.keySecret }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let printed = ''
  let listening: string | undefined
  let startMs = 0
  child.stdout.on('data', (chunk: Buffer) => {
    if (printed.length < 100_000) printed += chunk.toString('utf8')
    listening ??= /"origin":"([^"]+)"/.exec(printed)?.[1]
    if (listening !== undefined && startMs === 0) startMs = performance.now() - began
  })
  child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString('utf8')))
  const exited = once(child, 'exit')
  const firstKey = (): string | undefined => /prk_[0-9A-Za-z]+_[0-9A-Za-z]+/.exec(printed)?.[0]
  const started = (): string | undefined => {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('the process has ended')
    // The first key is printed some time after the port is open.
    return start.isFirst === true && firstKey() === undefined ? undefined : listening
  }
  const origin = await until(started, { timeoutMs: START_MS }).catch((cause: unknown) => {
    child.kill('SIGKILL')
    throw new Error(`the service did not start: ${printed}`, { cause })
  })
  const key = start.isFirst === true ? firstKey() : undefined
  return {
    origin,
    key,
    child,
    startMs,
    printed: () => printed,
    async kill(signal = 'SIGKILL') {
      child.kill(signal)
      await exited
    },
  }
}

export interface Scored {
  readonly status: number
  readonly requestId: string
  readonly ms: number
  readonly code: string | undefined
}

/** Scores one record; status 0 when the connection broke before the answer was there. */
export async function scoreOnce(origin: string, key: string): Promise<Scored> {
  const began = performance.now()
  let answer: Answer | undefined
  try {
    answer = await exchange(origin, {
      method: 'POST',
      path: SCORE,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: RECORD,
    })
  } catch {
    // The service was killed; nothing was acknowledged.
  }
  const ms = performance.now() - began
  const code =
    answer === undefined || answer.status === 200 ? undefined : (answer.json() as { code: string }).code
  return { status: answer?.status ?? 0, requestId: String(answer?.headers['x-request-id'] ?? ''), ms, code }
}

/** Keeps some callers busy until asked to end; every answer is reported. */
export function underLoad(
  callers: number,
  target: () => { readonly origin: string; readonly key: string },
  tell: (scored: Scored) => void,
): { end(): Promise<void> } {
  let isOver = false
  const work = Array.from({ length: callers }, async () => {
    while (!isOver) {
      const { origin, key } = target()
      const scored = await scoreOnce(origin, key)
      tell(scored)
      if (scored.status !== 200) await sleep(5)
    }
  })
  return {
    async end() {
      isOver = true
      await Promise.all(work)
    },
  }
}

/** The requests that have a row in the audit. */
export async function recordedIds(store: Store): Promise<ReadonlySet<string>> {
  const ids = new Set<string>()
  for await (const { content } of allRows(store)) {
    if (content !== '') ids.add((JSON.parse(content) as { readonly requestId: string }).requestId)
  }
  return ids
}

const MONTH_HOURS = 744

/** Where the counters of use say something else than the rows, while nobody makes requests. */
export async function miscounted(store: Store): Promise<readonly string[]> {
  const counted = new Map<string, string>()
  const rows = new Map<string, { requests: number; refused: number; records: number }>()
  for await (const row of allRows(store)) {
    const { keyId, status = 0, records = 0, ended } = factsOf(row)
    if (keyId === null || ended === 'begun') continue
    const use = rows.get(keyId) ?? { requests: 0, refused: 0, records: 0 }
    rows.set(keyId, use)
    use.requests++
    use.records += records
    if (status >= 400) use.refused++
  }
  const { complete, keys } = await countUsage(store, Date.now(), MONTH_HOURS, 'all')
  for (const { keyId, requests, refused, records } of keys)
    counted.set(keyId, JSON.stringify({ requests, refused, records }))
  const faults = complete ? [] : ['the counters of use are not complete']
  for (const [keyId, use] of rows) {
    if (counted.get(keyId) !== JSON.stringify(use))
      faults.push(`the use of key ${keyId} is not what its rows say`)
  }
  return faults
}
