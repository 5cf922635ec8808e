/**
 * Upgrade and way back as docs/operations.md describes them: folders side by side, a link, a backup. The older versions come from the
 * history of this repository.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { exchange } from '../exchange.ts'
import { SCORE } from '../serve.ts'
import { useDatabases } from '../store/postgres-server.ts'
import { Releases, type Started } from './releases.ts'

/** Their tables are older than those of this version. `guide.slow.test.ts` goes back to a version with the same tables. */
const OLD: Readonly<Record<string, string>> = {
  '0.1.0': '61e63b7e9e72e1c964be21f93e096ae703dc48b9',
  '0.2.0 before its last tables': 'da14be2246aaf33645a5c2c81998da6005b63d6d',
  '0.2.0': '29de4f88e5bb57cd372b41f81f6c182c14bc8d8a',
}
const THIS = 'this version'
const RECORD = '[{"idx":1,"age":84,"sex":"F","inpatientAdmissions":2,"emergencyAdmissions":1,"stayDays":7}]'
const SECRET = 'a'.repeat(64)

const newDatabase = useDatabases()

async function score({ origin }: Started, key: string): Promise<number> {
  const answer = await exchange(origin, {
    method: 'POST',
    path: SCORE,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: RECORD,
  })
  return answer.status
}

const STORES: Readonly<Record<string, (folder: string) => Promise<NodeJS.ProcessEnv>>> = {
  SQLite: (folder) => Promise.resolve({ DATA_DIR: join(folder, 'data') }),
  PostgreSQL: async (folder) => ({
    DATA_DIR: join(folder, 'data'),
    DATABASE_URL: await newDatabase(),
    KEY_SECRET: SECRET,
  }),
}

const CASES = [
  ['0.2.0', 'SQLite', 'SIGTERM'],
  ['0.2.0', 'PostgreSQL', 'SIGTERM'],
  ['0.2.0 before its last tables', 'SQLite', 'SIGTERM'],
  ['0.2.0 before its last tables', 'PostgreSQL', 'SIGTERM'],
  ['0.2.0', 'SQLite', 'SIGKILL'],
  ['0.1.0', 'SQLite', 'SIGKILL'],
] as const

for (const [version, kind, signal] of CASES) {
  const commit = OLD[version] ?? ''
  const isKnown = spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`]).status === 0
  const skip = isKnown ? false : 'the history of the repository is not here'
  test(`from ${version} (${kind}, ${signal}) to this version and back`, { skip }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'patient-risk-upgrade-'))
    const releases = new Releases(folder)
    try {
      releases.install(version, commit)
      releases.installThis(THIS)
      const env = (await STORES[kind]?.(folder)) ?? {}
      releases.use(version)
      const before = await releases.start(env, true)
      const key = before.key ?? ''
      for (let call = 0; call < 5; call++) assert.equal(await score(before, key), 200)
      await before.stop(signal)
      // A killed 0.1.0 may have rows that are not in its chain yet: its own "audit verify" chains them.
      if (version === '0.1.0') assert.equal(releases.run(env, ['audit', 'verify'], version).code, 0)
      const kept = join(folder, 'backup')
      // 0.1.0 has no command for it: a copy of the folder, made while it is stopped.
      if (version === '0.1.0') cpSync(join(folder, 'data'), kept, { recursive: true })
      else if (kind === 'SQLite') {
        const { code, said } = releases.run(env, ['backup', kept])
        assert.equal(code, 0, said)
      }
      assert.equal(releases.run(env, ['check'], THIS).code, 0)

      releases.use(THIS)
      const now = await releases.start(env)
      assert.equal(await score(now, key), 200)
      assert.equal(await now.stop(), 0)
      const verified = releases.run(env, ['audit', 'verify'])
      assert.equal(verified.code, 0, verified.said)
      assert.match(verified.said, /[6-9] rows/)

      releases.use(version)
      await assert.rejects(releases.start(env), /newer version/)
      if (kind === 'SQLite') await restoreAndServe(releases, version, kept, key)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
}

/** The way back where the tables have changed: the backup from before the upgrade, in a data folder of its own. */
async function restoreAndServe(
  releases: Releases,
  version: string,
  backup: string,
  key: string,
): Promise<void> {
  const env = { DATA_DIR: join(releases.folder, 'restored') }
  if (version === '0.1.0') cpSync(backup, env.DATA_DIR, { recursive: true })
  else assert.equal(releases.run(env, ['restore', backup], version).code, 0)
  const back = await releases.start(env)
  assert.equal(await score(back, key), 200)
  assert.equal(await back.stop(), 0)
}
