/** The Python and R clients against the real service, where the language is installed. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { type Served, serve } from '../serve.ts'

const run = promisify(execFile)
const TIMEOUT_MS = 300_000

let served: Served
before(async () => {
  served = await serve()
})
after(() => served.close())

function without(program: string, args: readonly string[], what: string): false | string {
  return spawnSync(program, args).status === 0 ? false : `skipped: ${what} is not installed`
}

test('Python', { skip: without('python3', ['--version'], 'Python 3') }, async () => {
  const { stdout } = await run('python3', ['test/clients/use_client.py', served.origin, served.key], {
    env: { ...process.env, PYTHONPATH: 'clients/python', PYTHONDONTWRITEBYTECODE: '1' },
    timeout: TIMEOUT_MS,
  })
  assert.match(stdout, /^ok/)
})

const R_PACKAGES = ['-e', 'stopifnot(requireNamespace("curl"), requireNamespace("jsonlite"))']
test('R', { skip: without('Rscript', R_PACKAGES, 'R with the packages curl and jsonlite') }, async () => {
  const { stdout } = await run('Rscript', ['test/clients/use_client.R', served.origin, served.key], {
    timeout: TIMEOUT_MS,
  })
  assert.match(stdout, /ok/)
})
