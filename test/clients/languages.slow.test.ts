/** The Python and R clients against the real service, where the language is installed. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { type Served, serve } from '../support/serve.ts'
import { WITH_WATCHED, setAlarm } from '../support/watched-deployment.ts'
import { type Flaky, flakyProxy } from './flaky.ts'

const run = promisify(execFile)
const TIMEOUT_MS = 300_000

let served: Served
before(async () => {
  served = await serve({ deployments: WITH_WATCHED })
  await setAlarm(served, 'raised')
})
after(() => served.close())

function without(program: string, args: readonly string[], what: string): false | string {
  return spawnSync(program, args).status === 0 ? false : `skipped: ${what} is not installed`
}

const R_PACKAGES = ['-e', 'stopifnot(requireNamespace("curl"), requireNamespace("jsonlite"))']
const LANGUAGES = [
  ['python3', 'test/clients/use_client.py', without('python3', ['--version'], 'Python 3')],
  [
    'Rscript',
    'test/clients/use_client.R',
    without('Rscript', R_PACKAGES, 'R with the packages curl and jsonlite'),
  ],
] as const

for (const [program, script, skip] of LANGUAGES) {
  test(program, { skip }, async () => {
    const flaky: Flaky = await flakyProxy(() => served.origin)
    try {
      const sender = await served.makeKey({ scopes: ['*', 'outcomes'] })
      const { stdout } = await run(program, [script, served.origin, served.key, flaky.origin, sender], {
        env: { ...process.env, PYTHONPATH: 'clients/python', PYTHONDONTWRITEBYTECODE: '1', NO_PROXY: '*' },
        timeout: TIMEOUT_MS,
      })
      assert.match(stdout, /ok/)
      assert.deepEqual(
        [...flaky.attempts.values()].map((ids) => [ids.length, new Set(ids).size]),
        [
          [3, 1],
          [3, 1],
        ],
        'three attempts with one request id, for the limits and for the records',
      )
    } finally {
      flaky.close()
    }
  })
}
