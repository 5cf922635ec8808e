/** docs/operations.md, followed block by block from an empty server: two instances on one PostgreSQL, and one with SQLite. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, after, test } from 'node:test'
import { exchange } from '../support/exchange.ts'
import { SCORE } from '../support/serve.ts'
import { useDatabases } from '../support/postgres-server.ts'
import { untilSucceeds } from '../support/until.ts'
import { EmptyServer, freePort } from './empty-server.ts'
import { postgresClient } from './postgres-client.ts'

const RECORD = '[{"idx":1,"age":84,"sex":"F","inpatientAdmissions":2,"emergencyAdmissions":1,"stayDays":7}]'
const RISK = 'sudo /opt/patient-risk/risk'
const LIMIT = { timeout: 580_000 }
const { version: PRESENT } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string }
/** The name of the version of an upgrade. */
const NEXT = '99.0.0'

const newDatabase = useDatabases()
const ran = new Set<string>()
const servers: EmptyServer[] = []
after(() => {
  for (const server of servers) server.remove()
})

const isHere = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0

/** A step for another version than that of the page. */
const named = (text: string, version: string): string => text.replace(/^VERSION=.*$/m, `VERSION=${version}`)

/** What a call with a key is answered. On a connection of its own: the process may be another one than for the last call. */
async function score(port: string, key: string): Promise<number> {
  const answer = await exchange(`http://127.0.0.1:${port}`, {
    method: 'POST',
    path: SCORE,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: RECORD,
  })
  return answer.status
}

/** A key that the operator makes, and its id. */
function makeKey(server: EmptyServer, name: string): { readonly id: string; readonly key: string } {
  const { out, err } = server.run(`${RISK} keys create --name '${name}' --json`)
  assert.match(out, /prk_/, err)
  return JSON.parse(out) as { readonly id: string; readonly key: string }
}

/** A rotation: a key moves when it is used, and one that was not used is named, and holds up the end. */
async function rotate(server: EmptyServer, port: string, key: string, suffix: string): Promise<void> {
  const other = makeKey(server, 'seldom used')
  assert.match(server.step(`rotate${suffix}`), /seldom used/)
  assert.equal(await score(port, key), 200)
  const early = server.run(`${RISK} keys rotate-secret --end`)
  assert.equal(early.status, 1)
  assert.match(early.err, /seldom used[^]*need the old secret/)
  assert.equal(await score(port, other.key), 200)
  await untilSucceeds(() => {
    assert.match(server.run(`${RISK} keys rotate-secret`).out, /Every usable key has moved/)
    return Promise.resolve()
  })
  server.step(`rotate-end${suffix}`)
  for (const each of [key, other.key]) assert.equal(await score(port, each), 200)
}

/** After a backup a key is made and another one revoked; its restore undoes both, and is not accepted in silence. */
async function restore(
  server: EmptyServer,
  port: string,
  key: string,
  backUp: () => void,
  suffix: string,
): Promise<void> {
  const revoked = makeKey(server, 'revoked after the backup')
  backUp()
  const late = makeKey(server, 'made after the backup')
  assert.equal(server.run(`${RISK} keys revoke ${revoked.id}`).status, 0)
  assert.equal(await score(port, late.key), 200)
  server.step('keep')
  assert.match(readFileSync(join(server.root, 'home/keys-before.txt'), 'utf8'), /made after the backup/)
  if (suffix === '') server.step('restore')
  else server.step('restore-sqlite', (text) => text.replace(/^(sudo .*risk restore .*)$/m, '! $1'))
  const loss = server.run(server.text('loss'))
  assert.equal(loss.status, 1)
  assert.match(loss.err, /To accept it/)
  const seen = server.step(`accept${suffix}`)
  assert.match(seen, /Intact/)
  assert.match(seen, /revoked after the backup/)
  assert.doesNotMatch(seen, /made after the backup/)
  assert.match(server.run(`${RISK} audit list --last 9`).out, /audit accept-loss/)
  assert.equal(await score(port, key), 200)
  assert.equal(await score(port, revoked.key), 200, 'a key that was revoked after the backup works again')
  assert.equal(await score(port, late.key), 401)
  assert.equal(server.run(`${RISK} keys revoke ${revoked.id}`).status, 0)
  const nightly = server.run('sudo /opt/patient-risk/backup')
  assert.equal(nightly.status, 0, nightly.err)
}

test('two instances on PostgreSQL, as the page says', LIMIT, async (t) => {
  const client = postgresClient()
  if ('missing' in client) {
    t.skip(client.missing)
    return
  }
  const database = new URL(await newDatabase())
  const one = await freePort()
  const two = await freePort()
  const tls = await freePort()
  const server = new EmptyServer(
    { 8081: one, 8082: two, 443: tls, 5432: database.port, patient_risk: `guide_${process.pid}` },
    { PGHOST: database.hostname, PGPORT: database.port, PGUSER: 'postgres', PGPASSWORD: database.password },
    client.folder,
  )
  servers.push(server)
  for (const step of ['folders', 'install', 'link', 'database', 'configure', 'script']) server.step(step)
  const started = server.step('start')
  const [key = ''] = /prk_\w+/.exec(started) ?? []
  assert.match(started, /Intact/)
  const serve = async (): Promise<void> => {
    for (const port of [one, two]) assert.equal(await score(port, key), 200)
  }
  await serve()
  await proxy(t, server)
  if (isHere('promtool')) assert.match(server.step('watch'), /SUCCESS/)
  else t.diagnostic('promtool is not installed: step "watch" was not run')

  server.step('install', (text) => named(text, NEXT))
  server.step('check')
  assert.match(server.step('upgrade'), /Intact/)
  await serve()
  server.step('back', (text) => named(text, PRESENT))
  await serve()
  server.run(`VERSION=${NEXT}`)
  server.step('stop')
  server.step('backup')
  assert.match(server.step('upgrade-tables'), /Intact/)
  await serve()

  await restore(server, one, key, () => void server.step('backup'), '')
  await serve()
  await rotate(server, one, key, '')
  await serve()
  // A backup brings the secret of its time along.
  server.step('remove')
  server.step('restore')
  assert.match(server.step('accept'), /Intact/)
  await serve()
  for (const step of server.ran) ran.add(step)
})

test('one instance with SQLite, as the page says', LIMIT, async () => {
  const port = await freePort()
  const server = new EmptyServer({ 8080: port })
  servers.push(server)
  for (const step of ['folders', 'install', 'link', 'configure-sqlite']) server.step(step)
  const started = server.step('start-sqlite')
  const [key = ''] = /prk_\w+/.exec(started) ?? []
  assert.equal(await score(port, key), 200)
  await restore(server, port, key, () => void server.step('backup-sqlite'), '-sqlite')
  await rotate(server, port, key, '-sqlite')
  for (const step of server.ran) ran.add(step)
})

test('every block of the page that names this test was run', (t) => {
  const [server] = servers
  const all = server?.steps ?? []
  assert.ok(all.length > 25)
  const left = all.filter((step) => !ran.has(step))
  const skipped = new Set(['certificate', 'proxy', 'call', 'watch'])
  const hasAll = isHere('haproxy') && isHere('promtool') && !('missing' in postgresClient())
  if (hasAll) assert.deepEqual(left, [])
  else if ('missing' in postgresClient())
    assert.deepEqual(
      left.filter((step) => step.endsWith('-sqlite')),
      [],
    )
  else
    assert.deepEqual(
      left.filter((step) => !skipped.has(step)),
      [],
    )
  if (left.length > 0) t.diagnostic(`not run, because a program is not installed: ${left.join(', ')}`)
})

/** The proxy of the page, and a call through it. */
async function proxy(t: TestContext, server: EmptyServer): Promise<void> {
  if (!isHere('haproxy')) {
    t.diagnostic('haproxy is not installed: steps "certificate", "proxy" and "call" were not run')
    return
  }
  server.step('certificate')
  server.step('proxy')
  const child = spawn('haproxy', ['-f', join(server.root, 'etc/haproxy/haproxy.cfg')], { stdio: 'ignore' })
  try {
    const answer = await untilSucceeds(() => Promise.resolve(server.step('call')), { timeoutMs: 20_000 })
    assert.match(answer, /"risk":0\.\d+/)
  } finally {
    child.kill()
  }
}
