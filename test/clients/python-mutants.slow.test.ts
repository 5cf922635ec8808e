/** Defects of one line in the Python client: what its tests ask of answers notices each of them. There is no other mutation test of it. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { type Misbehaving, OUTCOMES, holdOutcome, misbehavingServer } from './misbehaving.ts'

const MODES = Object.keys(OUTCOMES)

/** The limit of attempts stands in two places. This follows the one that is meant. */
const RETRIES = `self._retries:
                    raise _error_of(response.status, response.getheader, content)
                retry_after = response.getheader("Retry-After")
            except`

/** What stands in the client, and what a mistake would make of it. The first one is no mistake. */
const MUTANTS: readonly (readonly [what: string, from: string, to: string])[] = [
  ['no defect', '_encode(record)', '_encode(record)'],
  ['an attempt more', `attempt >= ${RETRIES}`, `attempt > ${RETRIES}`],
  [
    'Retry-After is not kept',
    'max(_FIRST_WAIT_S * 2.0**attempt, _seconds_of(retry_after))',
    '_FIRST_WAIT_S * 2.0**attempt',
  ],
  ['waits without an end', 'min(wait, _LONGEST_WAIT_S) *', 'wait *'],
  ['waits that are all alike', '(1 + _JITTER * random.random())', '1'],
  ['waits that do not grow', '_FIRST_WAIT_S * 2.0**attempt', '_FIRST_WAIT_S'],
  [
    'a page of a proxy is an answer',
    'if "json" not in (response.getheader("Content-Type") or ""):',
    'if False:',
  ],
  ['fewer results than records', 'len(answer) != count', 'len(answer) > count'],
  ['an answer that is no list', 'not isinstance(answer, list) or ', 'isinstance(answer, list) and '],
  ['a stream that was cut', 'results < sent[0]', 'results < 0'],
  ['a line that was cut', 'if not line.endswith(b"\\n"):', 'if False:'],
  ['a single record', 'if isinstance(records, (dict, str, bytes)):', 'if isinstance(records, (str, bytes)):'],
  ['a slash at the end of the address', 'parts.path.rstrip("/")', 'parts.path'],
  ['an exception of NO_PROXY', 'if proxy_bypass(', 'if not proxy_bypass('],
  [
    'a body that is never full',
    'len(positions) + len(group) > most_records',
    'len(positions) + len(group) >= most_records',
  ],
  ['a body of too many bytes', 'size + more > most_bytes', 'size > most_bytes'],
  ['two bodies of outcomes with one key', 'base if len(batches) == 1 else f"{base}.{number}"', 'base'],
  ['words to sign in at a proxy', "unquote(proxy.password or '')", "proxy.password or ''"],
]

const folder = mkdtempSync(join(tmpdir(), 'patient-risk-python-'))
after(() => rmSync(folder, { recursive: true, force: true }))
let server: Misbehaving
before(async () => {
  server = await misbehavingServer()
})
after(() => server.close())

/** Runs what `misbehaving.test.ts` runs, on a client in another folder. Throws where it fails. */
async function judge(clients: string): Promise<void> {
  const words = ['test/clients/misbehaving.py', server.origin, MODES.join()]
  const env = { PATH: process.env['PATH'], PYTHONPATH: clients, PYTHONDONTWRITEBYTECODE: '1' }
  const { stdout } = await promisify(execFile)('python3', words, { env, timeout: 60_000 })
  const found = JSON.parse(stdout) as Readonly<Record<string, string>>
  for (const mode of MODES) holdOutcome(mode, found[mode])
}

const skip = spawnSync('python3', ['--version']).status === 0 ? false : 'skipped: python3 is not installed'

for (const [at, [what, from, to]] of MUTANTS.entries()) {
  test(`${what} is ${from === to ? 'taken' : 'noticed'}`, { skip }, async () => {
    const clients = join(folder, String(at))
    cpSync('clients/python', clients, { recursive: true })
    const path = join(clients, 'patient_risk/_client.py')
    const text = readFileSync(path, 'utf8')
    assert.equal(text.split(from).length, 2 + Number(from === '_encode(record)'), 'it stands there once')
    writeFileSync(path, text.replace(from, to))
    if (from === to) await judge(clients)
    else await assert.rejects(judge(clients))
  })
}
