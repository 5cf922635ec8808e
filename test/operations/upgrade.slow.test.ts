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
import { LAYOUT } from '@patient-risk/server/store'
import { exchange } from '../support/exchange.ts'
import { SCORE } from '../support/serve.ts'
import { useDatabases } from '../support/postgres-server.ts'
import { until } from '../support/until.ts'
import { postgresClient } from './postgres-client.ts'
import { Releases, type Started } from './releases.ts'
import { UPGRADES } from './upgrades.ts'

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

/** The digest of the deployment that a version serves. A newer version may have others: its clinical files change. */
async function digestOf({ origin }: Started, key: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}` }
  const model = await exchange(origin, { path: `${SCORE}/model`, headers })
  return (model.json() as { readonly deployment: { readonly digest: string } }).deployment.digest
}

/** The same body each time for the same digest. */
async function sendOutcome({ origin }: Started, key: string, digest: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const element = { idx: 1, risk: 0.1234, outcome: true, digest, scored: '2026-10' }
  const path = `${SCORE}/outcomes`
  const answer = await exchange(origin, { method: 'POST', path, headers, body: JSON.stringify([element]) })
  assert.match(answer.text, /"counted":true/)
  assert.equal(answer.status, 200)
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

const KINDS: { readonly SQLite: Kind; readonly PostgreSQL: Kind } = {
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

for (const { version, layout, commit, kind, signal } of UPGRADES) {
  const isKnown = spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`]).status === 0
  const store = KINDS[kind]
  const skip = isKnown ? (store.missing ?? false) : 'the history of the repository is not here'
  test(
    `from ${version}, layout ${layout} (${kind}, ${signal}), to this version and back`,
    { skip },
    async () => {
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
        const digest = hasOutcomes(layout) ? await digestOf(before, key) : undefined
        if (digest !== undefined) await sendOutcome(before, key, digest)
        await before.stop(signal)
        // A killed 0.1.0 may have rows that are not in its chain yet: its own "audit verify" chains them.
        if (version === '0.1.0') assert.equal(releases.run(env, ['audit', 'verify'], version).code, 0)
        const kept = join(folder, 'backup')
        store.backUp(releases, version, env, kept)
        assert.match(
          await checked(releases, env),
          new RegExp(`^Store: layout ${layout} .* to layout ${LAYOUT}\\.`, 'm'),
        )
        await upgrade(releases, env, key, digest)
        assert.match(await checked(releases, env), new RegExp(`^Store: layout ${LAYOUT},`, 'm'))

        releases.use(version)
        await assert.rejects(releases.start(env), /newer version/)
        store.restore(releases, version, env, kept)
        if (hasAnchors(layout)) await acceptLoss(releases, env)
        const back = await releases.start(env)
        assert.equal(await score(back, key), 200)
        assert.equal(await back.stop(), 0)
        assert.equal(releases.run(env, ['audit', 'verify']).code, 0)

        // An older version knows no anchors, so this one still has that of the first upgrade.
        if (!hasAnchors(layout)) {
          await assert.rejects(useThis(releases, env), /is not the store that/)
          await acceptLoss(releases, env)
        }
        await upgrade(releases, env, key)
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
  )
}

/** Anchors came with the identity of a store, in layout 3. */
function hasAnchors(layout: number): boolean {
  return layout >= 3
}

function hasOutcomes(layout: number): boolean {
  return layout >= 4
}

/** What `check` of this version prints about a store that it has not started on. */
async function checked(releases: Releases, env: NodeJS.ProcessEnv): Promise<string> {
  return until(
    () => {
      const { code, said } = releases.run(env, ['check'], THIS)
      assert.equal(code, 0, said)
      // On a busy machine the database may answer too late for a command that only looks.
      return said.includes('could not be read') ? undefined : said
    },
    { what: 'a store that answers' },
  )
}

function useThis(releases: Releases, env: NodeJS.ProcessEnv): Promise<Started> {
  releases.use(THIS)
  return releases.start(env)
}

async function upgrade(
  releases: Releases,
  env: NodeJS.ProcessEnv,
  key: string,
  /** Of outcomes that were sent to the version before. */
  sentDigest?: string,
): Promise<void> {
  const now = await useThis(releases, env)
  assert.equal(await score(now, key), 200)
  if (sentDigest !== undefined) {
    // Counted by the version before, and known to this one.
    await sendOutcome(now, key, sentDigest)
    assert.match(
      releases.run(env, ['audit', 'list', '--json', '--last', '1']).said,
      /"counted":0,"repeats":1/,
    )
  }
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
