/**
 * Upgrade and way back as docs/operations.md describes them: folders side by side, a link, a backup. The older versions come from the
 * history of this repository.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { exchange } from '../exchange.ts'
import { SCORE } from '../serve.ts'
import { useDatabases } from '../store/postgres-server.ts'
import { postgresClient } from './postgres-client.ts'
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

const client = postgresClient()

/** How a store is set up, backed up and restored, as the page says for each kind. */
interface Kind {
  readonly missing?: string | undefined
  env(folder: string): Promise<NodeJS.ProcessEnv>
  backUp(releases: Releases, version: string, env: NodeJS.ProcessEnv, kept: string): void
  /** In place of the store that a newer version has written. Its anchor file stays. */
  restore(releases: Releases, version: string, env: NodeJS.ProcessEnv, kept: string): void
}

const KINDS: Readonly<Record<'SQLite' | 'PostgreSQL', Kind>> = {
  SQLite: {
    env: (folder) => Promise.resolve({ DATA_DIR: join(folder, 'data') }),
    backUp(releases, version, env, kept) {
      // 0.1.0 has no command for it: a copy of the folder, made while it is stopped.
      if (version === '0.1.0') cpSync(env['DATA_DIR'] ?? '', kept, { recursive: true })
      else assert.equal(releases.run(env, ['backup', kept]).code, 0)
    },
    restore(releases, version, env, kept) {
      const folder = env['DATA_DIR'] ?? ''
      for (const file of globSync(`${folder}/patient-risk.sqlite*`)) rmSync(file)
      if (version === '0.1.0') cpSync(kept, folder, { recursive: true })
      else assert.match(releases.run(env, ['restore', kept]).said, /^Restored/)
    },
  },
  PostgreSQL: {
    missing: 'missing' in client ? client.missing : undefined,
    env: async (folder) => ({
      DATA_DIR: join(folder, 'data'),
      DATABASE_URL: await newDatabase(),
      KEY_SECRET: SECRET,
    }),
    backUp(_releases, _version, { DATABASE_URL: url = '' }, kept) {
      postgres('pg_dump', '--format=custom', `--file=${kept}`, `--dbname=${url}`)
    },
    restore(_releases, _version, { DATABASE_URL: url = '' }, kept) {
      const server = new URL('/postgres', url).href
      const name = new URL(url).pathname.slice(1)
      postgres('psql', `--dbname=${server}`, `--command=ALTER DATABASE "${name}" RENAME TO "${name}_before"`)
      postgres('createdb', `--maintenance-db=${server}`, name)
      postgres('pg_restore', '--exit-on-error', '--single-transaction', `--dbname=${url}`, kept)
    },
  },
}

function postgres(program: string, ...args: readonly string[]): void {
  const folder = 'folder' in client ? client.folder : ''
  const { status, stderr } = spawnSync(join(folder, program), args, { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
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
  const store = KINDS[kind]
  const skip = isKnown ? (store.missing ?? false) : 'the history of the repository is not here'
  test(`from ${version} (${kind}, ${signal}) to this version and back`, { skip }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'patient-risk-upgrade-'))
    const releases = new Releases(folder)
    try {
      releases.install(version, commit)
      releases.installThis(THIS)
      const env = await store.env(folder)
      releases.use(version)
      const before = await releases.start(env, true)
      const key = before.key ?? ''
      for (let call = 0; call < 5; call++) assert.equal(await score(before, key), 200)
      await before.stop(signal)
      // A killed 0.1.0 may have rows that are not in its chain yet: its own "audit verify" chains them.
      if (version === '0.1.0') assert.equal(releases.run(env, ['audit', 'verify'], version).code, 0)
      const kept = join(folder, 'backup')
      store.backUp(releases, version, env, kept)
      assert.equal(releases.run(env, ['check'], THIS).code, 0)
      await upgrade(releases, env, key)

      releases.use(version)
      await assert.rejects(releases.start(env), /newer version/)
      store.restore(releases, version, env, kept)
      if (version === '0.2.0') await acceptLoss(releases, env)
      const back = await releases.start(env)
      assert.equal(await score(back, key), 200)
      assert.equal(await back.stop(), 0)
      assert.equal(releases.run(env, ['audit', 'verify']).code, 0)

      // An older version knows no anchors, so this one still has that of the first upgrade.
      if (version !== '0.2.0') {
        await assert.rejects(useThis(releases, env), /is not the store that/)
        await acceptLoss(releases, env)
      }
      await upgrade(releases, env, key)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
}

function useThis(releases: Releases, env: NodeJS.ProcessEnv): Promise<Started> {
  releases.use(THIS)
  return releases.start(env)
}

async function upgrade(releases: Releases, env: NodeJS.ProcessEnv, key: string): Promise<void> {
  const now = await useThis(releases, env)
  assert.equal(await score(now, key), 200)
  assert.equal(await now.stop(), 0)
  const { code, said } = releases.run(env, ['audit', 'verify'])
  assert.equal(code, 0, said)
  assert.match(said, /([6-9]|1\d) rows/)
}

/** The start is refused until somebody accepts that rows are lost. */
async function acceptLoss(releases: Releases, env: NodeJS.ProcessEnv): Promise<void> {
  await assert.rejects(releases.start(env), /accept the loss/)
  assert.equal(releases.run(env, ['audit', 'accept-loss']).code, 1)
  const { code, said } = releases.run(env, ['audit', 'accept-loss', '--yes'])
  assert.equal(code, 0, said)
}
