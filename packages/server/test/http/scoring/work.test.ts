/** Work decides where a body runs: cheap bodies in the thread that received them, expensive ones in a worker. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makeDeployments } from '@patient-risk/catalog'
import { DEFAULT_FILE } from '@patient-risk/catalog/config'
import type { Call } from 'patient-risk-engine'
import { LARGE_BYTES, type ScoringDispatcher } from '../../../src/http/scoring/scoring-dispatcher.ts'
import { cleanRecords } from '../../../../../test/support/records.ts'
import { testCatalog, testDispatcher } from '../../../../../test/support/serve.ts'

const TODAY = 20260315
const { deployments } = makeDeployments(testCatalog(), DEFAULT_FILE.deployments)
const [deployment] = deployments
assert.ok(deployment !== undefined)
const opened: ScoringDispatcher[] = []
after(() => Promise.all(opened.map((each) => each.close())))

const open = (): ScoringDispatcher => {
  const dispatcher = testDispatcher()
  opened.push(dispatcher)
  return dispatcher
}

/** Where a body was answered: only workers send a digest. */
const placeOf = (digest: string | undefined): string => (digest === undefined ? 'here' : 'worker')

const text = (records: readonly unknown[]): string => JSON.stringify(records)
const wrongCase = (count: number): string => text(cleanRecords(count)).replaceAll('"age"', '"Age"')

const CASES: readonly (readonly [string, string, Call, string])[] = [
  ['one clean record', text(cleanRecords(1)), 'score', 'here'],
  ['one record with problems', '[{}]', 'score', 'here'],
  ['600 clean records of 10 fields', text(cleanRecords(600)), 'score', 'here'],
  ['10,000 empty records in 29 KiB', `[${'{},'.repeat(9_999)}{}]`, 'score', 'worker'],
  ['10,000 numbers', `[${'1,'.repeat(9_999)}1]`, 'score', 'worker'],
  ['1,300 records with a name in the wrong case', wrongCase(1_300), 'score', 'worker'],
  [
    '2,000 records with the same idx',
    text(cleanRecords(2_000).map((each) => ({ ...each, idx: 1 }))),
    'score',
    'worker',
  ],
  ['1,000 records that must be parsed', text(cleanRecords(1_000)), 'explain', 'worker'],
  ['10,000 clean records', text(cleanRecords(10_000)), 'score', 'worker'],
]
for (const [what, body, call, place] of CASES) {
  test(`${call} of ${what} is answered: ${place}, with the bytes of an answer without workers`, async () => {
    const { bytes, digest } = await open().answer(deployment, call, Buffer.from(body), TODAY)
    assert.equal(placeOf(digest), place)
    assert.ok(Buffer.from(bytes).equals(deployment.scorer[call](Buffer.from(body), TODAY).bytes))
  })
}

test('a clean body that is worth a transfer is answered by a worker, and here when two wait for it', async () => {
  const body = text(cleanRecords(1_600))
  assert.ok(body.length > 64 * 1024 && body.length < LARGE_BYTES)
  const places = async (): Promise<readonly string[]> => {
    const dispatcher = open()
    const answers = Array.from({ length: 4 }, async () => {
      const { digest } = await dispatcher.answer(deployment, 'score', Buffer.from(body), TODAY)
      return placeOf(digest)
    })
    return Promise.all(answers)
  }
  // One at work and two that wait. The last one goes there too if this thread was held up for longer than it may work on a body.
  let found = await places()
  for (let more = 0; more < 5 && found.at(-1) === 'worker'; more++) found = await places()
  assert.deepEqual(found, ['worker', 'worker', 'worker', 'here'])
})

test('after an attempt that was given up, further bodies go to the workers at once, and small ones stay', async () => {
  const dispatcher = open()
  const clean = text(cleanRecords(500))
  const bodies = [`[${'{},'.repeat(9_999)}{}]`, clean, text(cleanRecords(1))]
  const places = await Promise.all(
    bodies.map(async (body) => {
      const { digest } = await dispatcher.answer(deployment, 'score', Buffer.from(body), TODAY)
      return placeOf(digest)
    }),
  )
  assert.deepEqual(places, ['worker', 'worker', 'here'])
})

test('an answer that would become too large is refused before it is complete', () => {
  const fields = Object.fromEntries(
    Array.from({ length: 1_000 }, (_each, index) => [`barthel_${'x'.repeat(200)}${index}`, 1]),
  )
  const record = JSON.stringify(fields)
  const body = Buffer.from(`[${Array.from({ length: 60 }, () => record).join(',')}]`)
  let steps = 0
  const limited = {
    beforeParse: () => undefined,
    step(answerBytes: number) {
      steps++
      if (answerBytes > 1_000_000) throw new Error('too large')
    },
    work: () => undefined,
  }
  const many = Buffer.from(`[${Array.from({ length: 640 }, () => record).join(',')}]`)
  assert.throws(() => deployment.scorer.score(many, TODAY, limited), /too large/)
  assert.ok(steps < 10, 'not after all of the work')
  assert.equal(deployment.scorer.score(body, TODAY).tally.records, 60)
})

test('lines go to a worker where there are many of them', async () => {
  const dispatcher = open()
  const few = Buffer.from('{}\n'.repeat(10))
  const many = Buffer.from('{}\n'.repeat(5_000))
  const place = { first: 0, duplicates: new Set<number>() }
  const answered = [
    await dispatcher.answerLines(deployment, 'score', few, TODAY, place),
    await dispatcher.answerLines(deployment, 'score', many, TODAY, place),
  ]
  assert.deepEqual(
    answered.map(({ tally }) => tally.records),
    [10, 5_000],
  )
  // Lines that were answered here are given back as they are; a worker sends others.
  assert.deepEqual(
    answered.map(({ body }, index) => body.buffer === [few, many][index]?.buffer),
    [true, false],
  )
})
