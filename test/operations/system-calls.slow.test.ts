/** The system-call filter of the shipped systemd unit, applied for real: the service starts, answers and stops under it. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { exchange } from '../support/exchange.ts'
import { SCORE } from '../support/serve.ts'
import { until } from '../support/until.ts'

const RECORD = '[{"idx":1,"age":84,"sex":"F","inpatientAdmissions":2,"emergencyAdmissions":1,"stayDays":7}]'

/** The names of a set, with the sets inside it. */
function callsOf(set: string): readonly string[] {
  const { stdout } = spawnSync('systemd-analyze', ['syscall-filter', set], { encoding: 'utf8' })
  const names = stdout
    .split('\n')
    .slice(1)
    .map((line) => line.trim())
  return names.flatMap((name) => {
    if (name.startsWith('@')) return callsOf(name)
    return name === '' || name.startsWith('#') ? [] : [name]
  })
}

/** What the unit allows and denies, and what a denied call does. */
function filterOf(unit: string): readonly [allow: string, deny: string, action: string] {
  const sets = [...unit.matchAll(/^SystemCallFilter=(~?)(.*)$/gm)]
  const names = (isDenied: boolean): string =>
    sets
      .filter(([, sign]) => (sign === '~') === isDenied)
      .flatMap(([, , list = '']) => list.split(' ').flatMap(callsOf))
      .join(',')
  const action = /^SystemCallErrorNumber=(\w+)$/m.exec(unit)?.[1] ?? 'kill'
  return [names(false), names(true), action]
}

const canFilter =
  spawnSync('systemd-analyze', ['syscall-filter', '@resources']).status === 0 &&
  spawnSync('python3', ['-c', 'import ctypes; ctypes.CDLL("libseccomp.so.2")']).status === 0
const skip = canFilter ? false : 'needs systemd-analyze, python3 and libseccomp'
const UNIT = readFileSync('ops/systemd/patient-risk.service', 'utf8')

function filtered(unit: string, args: readonly string[]): readonly string[] {
  return ['test/operations/seccomp.py', ...filterOf(unit), process.execPath, ...args]
}

test(
  'a call that the unit denies fails, and kills a process of a unit that does not say so',
  { skip },
  () => {
    const args = [
      '-e',
      'try { os.setPriority(5) } catch ({ info }) { process.exit(info.code === "EPERM" ? 7 : 1) }',
    ]
    assert.equal(spawnSync('python3', filtered(UNIT, args)).status, 7)
    const careless = UNIT.replace(/^SystemCallErrorNumber=.*$/m, '')
    assert.equal(spawnSync('python3', filtered(careless, args)).signal, 'SIGSYS')
  },
)

test(
  'the service starts, answers on all its threads and stops under the filter of the unit',
  { skip },
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'patient-risk-seccomp-'))
    const env = { ...process.env, PORT: '0', HOST: '127.0.0.1', DATA_DIR: dataDir, WORKERS: '2' }
    const child = spawn('python3', filtered(UNIT, ['bin/patient-risk.js', 'serve']), {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      const exited = once(child, 'exit')
      let printed = ''
      child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
      const found = (pattern: RegExp): string | undefined => pattern.exec(printed)?.[1]
      const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null
      await until(() => found(/(prk_\w+_\w+)/) !== undefined || hasEnded(), { what: 'the first key' })
      const origin = found(/"origin":"([^"]+)"/) ?? ''
      const headers = {
        authorization: `Bearer ${found(/(prk_\w+_\w+)/)}`,
        'content-type': 'application/json',
      }
      const large = `[${Array.from({ length: 9_000 }, (_each, idx) => RECORD.slice(1, -1).replace('"idx":1', `"idx":${idx}`)).join()}]`
      for (const body of [RECORD, large]) {
        assert.equal((await exchange(origin, { method: 'POST', path: SCORE, headers, body })).status, 200)
      }
      child.kill('SIGTERM')
      assert.deepEqual(await exited, [0, null])
    } finally {
      child.kill('SIGKILL')
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
)
