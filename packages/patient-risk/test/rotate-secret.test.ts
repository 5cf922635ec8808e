/** `keys rotate-secret`: a new secret for the digests of all keys, without a new key, in the data folder and in the environment. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { KeyCache, makeEntry, openStore } from '@patient-risk/server/store'
import { SCORE, serve } from '../../../test/support/serve.ts'
import { until } from '../../../test/support/until.ts'
import { inFolder, runHere } from '../../../test/support/run-command.ts'

type Env = Readonly<Record<string, string>>
const ROTATE = ['keys', 'rotate-secret']

async function newKey(env: Env): Promise<{ readonly id: string; readonly key: string }> {
  const { out } = await runHere(['keys', 'create', '--name', 'ward', '--json'], env)
  return JSON.parse(out) as { id: string; key: string }
}

/** Uses a key as a service does that was started with these settings. */
async function use(env: Env, { id, key }: { readonly id: string; readonly key: string }): Promise<boolean> {
  const previousSecret = env['KEY_SECRET_PREVIOUS']
  const { store, secrets } = await openStore(env['DATA_DIR'] ?? '', env['KEY_SECRET'], undefined, {
    previousSecret,
  })
  const isAccepted = (await new KeyCache(store, secrets).verify(key, Date.now())) !== undefined
  const hasMoved = async (): Promise<boolean> =>
    (await store.findKey(id))?.secretFingerprint === secrets.fingerprint
  if (isAccepted) await until(hasMoved, { what: 'the move of a key that is used' })
  await store.close()
  return isAccepted
}

/** The steps from the second on, which are the same wherever the secret is kept. */
async function moveAll(env: Env, used: { id: string; key: string }, unused: { id: string }): Promise<void> {
  const early = await runHere([...ROTATE, '--end'], env)
  assert.deepEqual([early.code, early.err.includes('not in use yet')], [1, true])
  const begun = await runHere(ROTATE, env)
  assert.equal(begun.code, 0)
  for (const { id } of [used, unused]) assert.ok(begun.out.includes(id))
  assert.equal(await use(env, used), true)
  const half = await runHere(ROTATE, env)
  assert.deepEqual([half.out.includes(used.id), half.out.includes(unused.id)], [false, true])
  const refused = await runHere([...ROTATE, '--end'], env)
  assert.deepEqual([refused.code, refused.err.includes(unused.id)], [1, true])
}

test('in the data folder: both secrets work until the rotation is ended', async () => {
  await inFolder(async (folder) => {
    const env = { DATA_DIR: folder }
    const used = await newKey(env)
    const unused = await newKey(env)
    const file = join(folder, 'key-secret')
    const previous = join(folder, 'key-secret-previous')
    const old = readFileSync(file, 'utf8')
    assert.equal((await runHere([...ROTATE, '--end'], env)).code, 1, 'there is nothing to end')
    assert.match((await runHere(ROTATE, env)).out, /Restart every process/)
    assert.equal(readFileSync(previous, 'utf8'), old)
    assert.notEqual(readFileSync(file, 'utf8'), old)
    for (const path of [file, previous]) assert.equal(statSync(path).mode & 0o077, 0)
    const made = await newKey(env)
    assert.equal(await use(env, made), true)
    await moveAll(env, used, unused)
    assert.equal(await use(env, made), true)
    await runHere(['keys', 'revoke', unused.id, '--force'], env)
    assert.equal((await runHere([...ROTATE, '--end'], env)).code, 0)
    assert.equal(existsSync(previous), false)
    assert.equal(await use(env, used), true)
    const rows = (await runHere(['audit', 'list', '--json'], env)).out
    for (const step of ['made', 'in use', 'ended']) assert.ok(rows.includes(`"subject":"${step}"`), step)
    assert.equal((await runHere(['audit', 'verify'], env)).code, 0)
  })
})

test('in the environment: the command says what to set; by force, keys that have not moved stop working', async () => {
  await inFolder(async (folder) => {
    const env = { DATA_DIR: folder, KEY_SECRET: 'old' }
    const used = await newKey(env)
    const unused = await newKey(env)
    const refused = await runHere(ROTATE, env)
    assert.deepEqual([refused.code, refused.err.includes('KEY_SECRET_PREVIOUS')], [1, true])
    const both = { ...env, KEY_SECRET: 'new', KEY_SECRET_PREVIOUS: 'old' }
    await moveAll(both, used, unused)
    assert.equal((await runHere([...ROTATE, '--end', '--force'], both)).code, 0)
    const ended = { ...env, KEY_SECRET: 'new' }
    assert.deepEqual([await use(ended, used), await use(ended, unused)], [true, false])
    assert.equal((await runHere([...ROTATE, '--force'], both)).code, 2)
    const alone = await runHere(['keys', 'list'], { DATA_DIR: folder, KEY_SECRET_PREVIOUS: 'old' })
    assert.match(alone.err, /KEY_SECRET_PREVIOUS: is set without KEY_SECRET/)
  })
})

test('a key that has ended by the latest time that was seen is not waited for, also where the clock was set back', async () => {
  await inFolder(async (folder) => {
    const env = { DATA_DIR: folder }
    const created = await runHere(['keys', 'create', '--name', 'ward', '--expires', '2d', '--json'], env)
    const { id } = JSON.parse(created.out) as { readonly id: string }
    for (const step of [1, 2]) assert.equal((await runHere(ROTATE, env)).code, 0, `step ${step}`)
    assert.ok((await runHere(ROTATE, env)).out.includes(id))
    const { store } = await openStore(folder, undefined)
    const at = Date.now() + 3 * 86_400_000
    await store.appendAudit([makeEntry({ at, requestId: 'later', keyId: null, call: 'score', subject: '' })])
    await store.close()
    const state = await runHere(ROTATE, env)
    assert.deepEqual(
      [state.out.includes(id), state.out.includes('Every usable key has moved')],
      [false, true],
    )
    assert.equal((await runHere([...ROTATE, '--end'], env)).code, 0)
  })
})

test('a row from before the rotation can be replayed while the old secret is there', async (t) => {
  const served = await serve()
  t.after(() => served.close())
  const body = JSON.stringify([{ idx: 1, age: 80, sex: 'F' }])
  const call = { path: SCORE, headers: { 'x-request-id': 'ward-7' } }
  await served.post(body, call)
  const file = join(served.dataDir, 'body.json')
  writeFileSync(file, body)
  const env = { DATA_DIR: served.dataDir }
  for (const step of [1, 2]) assert.equal((await runHere(ROTATE, env)).code, 0, `step ${step}`)
  const replay = ['audit', 'replay', '--body', file, '--request', 'ward-7']
  assert.equal((await runHere(replay, env)).code, 0)
  await runHere([...ROTATE, '--end', '--force'], env)
  assert.match((await runHere(replay, env)).err, /There is no request ward-7/)
})
