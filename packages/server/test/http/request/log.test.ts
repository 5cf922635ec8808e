/** The log says a fixed set of things; what a caller writes is not among them, not even at the very end. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { test } from 'node:test'
import { describeBug } from '@patient-risk/runtime'
import { LOG_FIELDS, createLog } from '../../../src/log/log.ts'
import { SCORE, serve } from '../../../../../test/support/serve.ts'

const CANARY = 'Canary-Maria-1931'

function lines(act: (log: ReturnType<typeof createLog>) => void): string {
  let text = ''
  act(createLog('trace', { write: (line: string) => void (text += line) }))
  return text
}

test('a field that is not listed is left out, and so is everything but words and numbers', () => {
  const text = lines((log) =>
    log.info({
      event: 'request',
      status: 200,
      body: CANARY,
      reason: { text: CANARY },
      err: new Error(CANARY),
    }),
  )
  assert.doesNotMatch(text, new RegExp(CANARY))
  assert.deepEqual(Object.keys(JSON.parse(text) as object), ['level', 'time', 'event', 'status'])
  const bare = lines((log) => {
    log.error(new Error(CANARY))
    log.error(CANARY as unknown as object)
    log.error({ event: 'bug', message: CANARY })
  })
  assert.doesNotMatch(bare, new RegExp(CANARY))
})

test('no text breaks a line or controls a terminal', () => {
  const text = lines((log) => log.info({ event: 'a\r\nb\u2028c\u001b[31md\u0085e\u202ef', route: '{"x":1}' }))
  assert.equal(text.split('\n').length, 2)
  assert.match(text, /^[\x20-\x7e]+\n$/)
  assert.equal((JSON.parse(text) as { event: string }).event, 'a??b?c?[31md?e?f')
})

test('the kind and place of an error are logged, never its text, not even one that looks like a place', () => {
  const error = new TypeError(`${CANARY}\n    at ${CANARY} (file:///x.ts:1:1)`)
  const { kind, place } = describeBug(error)
  assert.equal(kind, 'TypeError')
  assert.match(place, /log\.test\.ts/)
  assert.doesNotMatch(place, new RegExp(CANARY))
  assert.deepEqual(describeBug(CANARY), { kind: 'string', place: '' })
})

test('every line of a served request has listed fields alone, whatever the caller writes', async () => {
  const served = await serve()
  await served.post([{ idx: CANARY, [CANARY]: CANARY }], {
    headers: { 'x-request-id': CANARY, 'user-agent': CANARY, referer: CANARY, cookie: CANARY },
  })
  await served.post(`[{"${CANARY}`)
  await served.call({ path: `/${CANARY}?${CANARY}` })
  await served.call({ path: SCORE, method: 'POST', headers: { authorization: `Bearer ${CANARY}` } })
  const known = new Set(['level', 'time', ...LOG_FIELDS])
  assert.ok(served.logLines().length >= 4)
  for (const line of served.logLines()) {
    for (const name of Object.keys(line)) assert.ok(known.has(name), name)
  }
  assert.doesNotMatch(served.logText(), new RegExp(CANARY))
  await served.close()
})

const LAST = [
  ['an uncaught error', `setTimeout(() => JSON.parse('[{"name":"${CANARY}"'))`],
  ['an unhandled rejection', `void Promise.reject(new Error('${CANARY}'))`],
  ['a thrown word', `setTimeout(() => { throw '${CANARY}' })`],
] as const

for (const [name, code] of LAST) {
  test(`${name} ends the process with code 70 and without a word of it`, () => {
    const script = `import { createLog, reportUncaughtErrors } from './packages/server/src/log/log.ts'; reportUncaughtErrors(createLog('info')); ${code}`
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
    })
    assert.equal(status, 70)
    assert.match(stdout, /"event":"(uncaught-exception|unhandled-rejection)"/)
    assert.doesNotMatch(stdout + stderr, new RegExp(CANARY))
  })
}

test('lines are gathered, and none is lost at the end; a full disk loses lines and nothing else', () => {
  const script = `
    const { createLog } = await import('./packages/server/src/log/log.ts')
    const log = createLog('info')
    for (let count = 0; count < 1000; count++) log.info({ event: 'request', count })
    process.stderr.write('alive')
  `
  const args = ['--input-type=module-typescript', '-e', script]
  const whole = spawnSync(process.execPath, args, { encoding: 'utf8' })
  const counts = whole.stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { count: number }).count)
  assert.deepEqual(
    counts,
    Array.from({ length: 1000 }, (_, count) => count),
  )
  const full = openSync('/dev/full', 'w')
  const lost = spawnSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', full, 'pipe'] })
  closeSync(full)
  assert.deepEqual([lost.status, lost.stderr], [0, 'alive'])
})
