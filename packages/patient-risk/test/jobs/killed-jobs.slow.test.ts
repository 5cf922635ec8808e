/**
 * Jobs under `kill -9` at any moment: they go on from their checkpoint in another process, and their results are those of a plain `score`,
 * no row twice and none missing. `npm run test:kills` makes it as long as a release asks; `SEED` repeats a run.
 */
// Own process: it ends processes and must not wait for others.
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { SEED } from '../../../../test/support/fast-check.ts'
import { Random } from '../../../../test/support/random.ts'
import { needsPostgres, useDatabases } from '../../../../test/support/postgres-server.ts'

const KILLS = Number(process.env['KILLS'] ?? 3)
/** A job that is begun more than ten times without coming further fails, as it should: on a slow machine each kill is such a time. */
const MOST_KILLS_OF_A_JOB = 8
const JOBS = '/risk/api/do/v0/jobs'
const RECORDS = 30_000
const folder = mkdtempSync(join(tmpdir(), 'patient-risk-jobs-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const newDatabase = useDatabases()

const dice = new Random(SEED)
const random = (): number => dice.next()
const records = Array.from({ length: RECORDS }, (_each, place) => ({
  // Some repeat, far apart.
  idx: place % 9_973 === 0 ? 1 : place + 2,
  age: 65 + Math.floor(random() * 30),
  sex: random() < 0.5 ? 'F' : 'M',
  inpatientAdmissions: Math.floor(random() * 4),
  emergencyAdmissions: Math.floor(random() * 3),
  // Some are out of range.
  stayDays: Math.floor(random() * 30) - 1,
}))
const lines = records.map((each) => JSON.stringify(each)).join('\n')
const csv = [
  Object.keys(records[0] ?? {}).join(','),
  ...records.map((each) => Object.values(each).join(',')),
].join('\n')
const BODIES = [
  { type: 'application/x-ndjson', from: 'ndjson', to: 'ndjson', body: `${lines}\n` },
  { type: 'application/json', from: 'json', to: 'ndjson', body: `[${lines.replaceAll('\n', ',\n')}]` },
  { type: 'text/csv', from: 'csv', to: 'csv', body: `${csv}\n` },
] as const

interface Instance {
  readonly child: ChildProcess
  readonly origin: string
  readonly key: string
}

async function startInstance(dataDir: string, jobs: string, database: string | undefined): Promise<Instance> {
  const args = [
    'packages/patient-risk/test/jobs/instance.ts',
    dataDir,
    jobs,
    ...(database === undefined ? [] : [database]),
  ]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface({ input: child.stdout })) {
    const said = JSON.parse(line) as { readonly origin?: string; readonly key?: string }
    const { origin, key } = said
    if (origin !== undefined && key !== undefined) {
      child.stdout.resume()
      return { child, origin, key }
    }
    // A line of its log: on a busy machine the store may be late after a kill.
    process.stderr.write(`${line}\n`)
  }
  throw new Error('the instance has ended before it listened')
}

async function kill({ child }: Instance): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

function expected({ from, to, body }: (typeof BODIES)[number]): string {
  const [input, output] = [join(folder, `in.${from}`), join(folder, `out.${to}`)]
  writeFileSync(input, body)
  const cli = 'packages/patient-risk/src/cli/main.ts'
  execFileSync(process.execPath, [
    cli,
    'score',
    input,
    '--output',
    output,
    '--to',
    to,
    '--quiet',
    '--accept-doubts',
  ])
  return readFileSync(output, 'utf8')
}

/** Sends a request again where the service asks for that: on a busy machine its store may be late after a kill. */
async function call({ origin, key }: Instance, path: string, more: RequestInit = {}): Promise<Response> {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(more.headers as Record<string, string> | undefined),
  }
  for (;;) {
    const answer = await fetch(new URL(path, origin), { ...more, headers })
    if (answer.status !== 503) return answer
    await answer.body?.cancel()
    await sleep(200)
  }
}

async function survives(instances: number, database: string | undefined): Promise<void> {
  const dataDir = mkdtempSync(join(folder, 'data-'))
  const jobs = join(dataDir, 'jobs')
  const wanted = BODIES.map(expected)
  const running: Instance[] = []
  for (let each = 0; each < instances; each++) running.push(await startInstance(dataDir, jobs, database))
  let kills = 0
  try {
    for (let round = 0; kills < KILLS; round++) {
      const place = round % BODIES.length
      const { type, to, body } = BODIES[place] as (typeof BODIES)[number]
      const headers = { 'content-type': type, 'idempotency-key': `round ${round}` }
      const taken = await call(running[0] as Instance, `${JOBS}?to=${to}`, { method: 'POST', headers, body })
      assert.equal(taken.status, 202, await taken.text())
      const path = taken.headers.get('content-location') ?? ''
      let answer = taken
      let ownKills = 0
      while (answer.status === 202) {
        if (kills < KILLS && ownKills < MOST_KILLS_OF_A_JOB) {
          ownKills++
          // The next one begins where this one has come to: with one instance somewhat later, with two at the end of the lease.
          await sleep(random() * (type === 'text/csv' ? 2_500 : 250))
          const at = kills % instances
          await kill(running[at] as Instance)
          running[at] = await startInstance(dataDir, jobs, database)
          kills++
        } else await sleep(50)
        answer = await call(running[0] as Instance, path)
      }
      const manifest = (await answer.json()) as {
        state: string
        output: readonly { url: string; count: number }[]
      }
      assert.equal(manifest.state, 'done', JSON.stringify(manifest))
      assert.equal(manifest.output[0]?.count, RECORDS)
      const file = await call(running[0] as Instance, manifest.output[0].url)
      assert.ok((await file.text()) === wanted[place], `the results of ${type} differ from those of score`)
      assert.equal((await call(running[0] as Instance, path, { method: 'DELETE' })).status, 202)
    }
  } finally {
    for (const each of running) await kill(each)
  }
}

test(`jobs survive ${KILLS} kills on SQLite, seed ${SEED}`, () => survives(1, undefined))

test(
  `jobs survive ${KILLS} kills of two instances on PostgreSQL, seed ${SEED}`,
  needsPostgres(),
  async () => {
    await survives(2, await newDatabase())
  },
)
