/** What the clients make of answers that are not the service's, or not whole: the same in every language. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { RiskClient, RiskServiceError } from '../../clients/typescript/src/client.ts'
import { retryWaitMs } from '../../clients/typescript/src/requests.ts'
import { type Misbehaving, OUTCOMES, holdOutcome, misbehavingServer } from './misbehaving.ts'

const MODES = Object.keys(OUTCOMES)
const RECORDS = [
  { idx: 1, age: 84 },
  { idx: 2, age: 85 },
]

let server: Misbehaving
before(async () => {
  server = await misbehavingServer()
})
after(() => server.close())

async function outcome(mode: string): Promise<string> {
  const client = new RiskClient({ url: `${server.origin}/${mode}`, key: 'key', output: 'number', retries: 1 })
  const risks: (number | null)[] = []
  try {
    if (mode.startsWith('stream')) for await (const { risk } of client.stream(RECORDS)) risks.push(risk)
    else for (const { risk } of await client.score(RECORDS)) risks.push(risk)
    return risks.join(' ')
  } catch (error) {
    if (error instanceof RiskServiceError) return `RiskServiceError: ${error.problem.detail}`
    return (error as Error).name
  }
}
for (const mode of MODES) test(`TypeScript: ${mode}`, async () => holdOutcome(mode, await outcome(mode)))

for (const [attempt, retryAfter, leastMs] of [
  [0, '86400', 60_000],
  [0, '2', 2_000],
  [0, new Date(4_000_000_000_000).toUTCString(), 60_000],
  [3, null, 2_000],
  [20, null, 60_000],
  [0, 'soon', 250],
] as const) {
  test(`attempt ${attempt} with Retry-After ${String(retryAfter)} waits ${leastMs} ms and a little more`, () => {
    const waits = Array.from({ length: 200 }, () => retryWaitMs(attempt, retryAfter))
    assert.ok(waits.every((wait) => wait >= leastMs && wait <= leastMs * 1.25))
    assert.ok(new Set(waits).size > 100)
  })
}

test('a single record in place of a list', async () => {
  const client = new RiskClient({ url: server.origin, key: 'key', output: 'number' })
  await assert.rejects(client.score(RECORDS[0] as never), /^TypeError: Records are given as an array/)
})

const R_PACKAGES = ['-e', 'stopifnot(requireNamespace("curl"), requireNamespace("jsonlite"))']
for (const [program, script, has, modes] of [
  ['python3', 'misbehaving.py', ['--version'], MODES],
  ['Rscript', 'misbehaving.R', R_PACKAGES, MODES.filter((mode) => !mode.startsWith('stream'))],
] as const) {
  const skip = spawnSync(program, has).status === 0 ? false : `skipped: ${program} is not installed`
  test(program, { skip }, async () => {
    const words = [`test/clients/${script}`, server.origin, modes.join()]
    const { stdout } = await promisify(execFile)(program, words, {
      env: { PATH: process.env['PATH'], PYTHONPATH: 'clients/python', PYTHONDONTWRITEBYTECODE: '1' },
      timeout: 60_000,
    })
    const found = JSON.parse(stdout) as Readonly<Record<string, string>>
    for (const mode of modes) holdOutcome(mode, found[mode])
  })
}
