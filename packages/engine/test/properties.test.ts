/** What holds for any records whatever. The seed of a failing run is printed; SEED repeats it. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { SEED, fc } from '../../../test/support/fast-check.ts'
import { findModel, makeDeployments } from '@patient-risk/catalog'
import type { Scorer } from '../src/scorer.ts'
import type { Result } from '../../../test/support/contract-records.ts'
import { testCatalog } from '../../../test/support/serve.ts'
import { type Entries, anyRecord, anyRecords, spell } from './truth/any-record.ts'
import { blocksBy } from './truth/blocking.ts'

const TODAY = 20260315
/** `npm run test:all` has many times as many, with a random seed. */
const RUNS = { numRuns: Number(process.env['RUNS'] ?? 60) }

const catalog = testCatalog()
const models = ['readmission30', 'charlson10y', 'profund', 'walter', 'lace']
const { deployments } = makeDeployments(
  catalog,
  models.flatMap((model) => [
    { name: model, basePath: `/${model}`, model, output: 'number' as const },
    { name: `${model}-f`, basePath: `/${model}/f`, model, output: 'yes-no' as const, threshold: 0.15 },
  ]),
)
const scorerOf = (name: string): Scorer => {
  const found = deployments.find((deployment) => deployment.name === name)
  assert.ok(found)
  return found.scorer
}

const text = (scorer: Scorer, body: string): string =>
  Buffer.from(scorer.score(Buffer.from(body), TODAY).bytes).toString()
const answer = (scorer: Scorer, body: string): readonly Result[] => JSON.parse(text(scorer, body)) as Result[]
const bodyOf = (records: readonly Entries[]): string =>
  `[${records.map((record) => spell(record)).join(',')}]`

/** A result with the position taken out of its messages, for records that have no usable idx. */
const placeless = (result: Result): unknown =>
  result.idx !== null
    ? result
    : JSON.parse(JSON.stringify(result).replaceAll(/in idx -?\d+ \(/g, 'in idx # ('))

for (const model of models) {
  const scorer = scorerOf(model)
  const records = anyRecords(catalog, model)

  test(`${model}: permuting records permutes answers (SEED=${SEED})`, () => {
    fc.assert(
      fc.property(records, fc.array(fc.nat(), { minLength: 12, maxLength: 12 }), (given, keys) => {
        const order = given.map((_, at) => at).sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0) || a - b)
        const straight = answer(scorer, bodyOf(given)).map(placeless)
        const permuted = answer(scorer, bodyOf(order.map((at) => given[at] as Entries))).map(placeless)
        assert.deepEqual(
          permuted,
          order.map((at) => straight[at]),
        )
      }),
      RUNS,
    )
  })

  test(`${model}: splitting a batch changes no answer (SEED=${SEED})`, () => {
    fc.assert(
      fc.property(records, fc.nat({ max: 12 }), (given, cut) => {
        // Only within one request can an idx be given twice, so records that share one are left out here.
        const own = withoutDuplicates(given)
        const whole = answer(scorer, bodyOf(own)).map(placeless)
        const parts = [own.slice(0, cut), own.slice(cut)].flatMap((part) => [...answer(scorer, bodyOf(part))])
        assert.deepEqual(parts.map(placeless), whole)
      }),
      RUNS,
    )
  })

  test(`${model}: a bad record changes no other answer (SEED=${SEED})`, () => {
    const bad = fc.constantFrom(
      '1',
      'null',
      '"x"',
      '[]',
      '{}',
      '{"idx":"x"}',
      '{"a":1,"a":2}',
      '{"idx":1e400}',
    )
    fc.assert(
      fc.property(records, bad, fc.nat({ max: 12 }), (given, intruder, at) => {
        const texts = given.map((record) => spell(record))
        const place = Math.min(at, texts.length)
        const alone = answer(scorer, `[${texts.join(',')}]`).map(placeless)
        const together = answer(scorer, `[${texts.toSpliced(place, 0, intruder).join(',')}]`)
        assert.equal(together[place]?.risk, null)
        assert.deepEqual(together.toSpliced(place, 1).map(placeless), alone)
      }),
      RUNS,
    )
  })

  test(`${model}: key order, white space and escapes change nothing (SEED=${SEED})`, () => {
    const style = fc.record({
      shuffle: fc.nat(),
      space: fc.constantFrom('', ' ', '\n\t', '\r\n  '),
      escapes: fc.nat(),
    })
    fc.assert(
      fc.property(records, style, (given, how) => {
        const plain = text(scorer, bodyOf(given))
        const { space } = how
        const other = `${space}[${space}${given.map((record) => spell(record, how)).join(`${space},${space}`)}${space}]${space}`
        assert.equal(text(scorer, other), plain)
      }),
      RUNS,
    )
  })

  test(`${model}: risk is null exactly when a blocking problem is listed (SEED=${SEED})`, () => {
    const definition = findModel(catalog, model)?.definition
    assert.ok(definition)
    const blocks = blocksBy(catalog, definition)
    fc.assert(
      fc.property(records, (given) => {
        answer(scorer, bodyOf(given)).forEach(({ risk, error_message }, at) => {
          const record = given[at] ?? []
          const isBlocked = error_message?.some((item) => blocks(item, record)) ?? false
          assert.notEqual(error_message?.length, 0)
          assert.equal(risk === null, isBlocked, `${spell(record)} ${JSON.stringify(error_message)}`)
          if (typeof risk === 'number') assert.ok(risk >= 0.0001 && risk <= 0.9999)
        })
      }),
      RUNS,
    )
  })

  test(`${model}: same request twice, same bytes; validate and explain judge alike (SEED=${SEED})`, () => {
    fc.assert(
      fc.property(records, (given) => {
        const body = Buffer.from(bodyOf(given))
        const first = text(scorer, bodyOf(given))
        assert.equal(text(scorer, bodyOf(given)), first)
        const results = JSON.parse(first) as Result[]
        const valid = JSON.parse(Buffer.from(scorer.validate(body, TODAY).bytes).toString()) as object[]
        assert.deepEqual(
          valid,
          results.map(({ idx, risk, error_message }) => ({ idx, valid: risk !== null, error_message })),
        )
        const explained = JSON.parse(Buffer.from(scorer.explain(body, TODAY).bytes).toString()) as Explained[]
        explained.forEach(({ idx, risk, error_message, explanation }, at) => {
          assert.deepEqual({ idx, risk, error_message }, results[at])
          assert.equal(explanation?.probability ?? null, risk)
        })
      }),
      RUNS,
    )
  })

  test(`${model}: the number and the flag always agree (SEED=${SEED})`, () => {
    fc.assert(
      fc.property(records, (given) => {
        const flags = answer(scorerOf(`${model}-f`), bodyOf(given))
        const expected = answer(scorer, bodyOf(given)).map((result) => ({
          ...result,
          risk: result.risk === null ? null : Number(result.risk) >= 0.15 ? 'Yes' : 'No',
        }))
        assert.deepEqual(flags, expected)
      }),
      RUNS,
    )
  })
}

interface Explained extends Result {
  readonly explanation: { readonly probability: number } | null
}

test(`no message contains a submitted value (SEED=${SEED})`, () => {
  const scorer = scorerOf('readmission30')
  const canary = fc.constantFrom<unknown>('Zq9xCanary', 8675309.125, 'Jane Doe 1931', 4242424242)
  const names = [...catalog.domains.keys(), 'idx', 'ward', 'barthel_zzz', 'AGE']
  const record = fc.dictionary(fc.constantFrom(...names), canary, { minKeys: 1, maxKeys: 12 })
  fc.assert(
    fc.property(fc.array(fc.oneof(record, canary), { maxLength: 6 }), (given) => {
      const printed = text(scorer, JSON.stringify(given))
      for (const trace of ['Zq9x', '8675309', 'Jane', '1931', '4242424242']) {
        // A usable idx is echoed: that is what it is for.
        const rest = printed.replaceAll(/"idx":-?\d+|in idx -?\d+/g, '')
        assert.ok(!rest.includes(trace), printed)
      }
    }),
    { ...RUNS, numRuns: 6 * RUNS.numRuns },
  )
})

function withoutDuplicates(records: readonly Entries[]): readonly Entries[] {
  const seen = new Set<number>()
  return records.filter((record) => {
    const idx = record.findLast(([name]) => name === 'idx')?.[1]
    if (typeof idx !== 'number') return true
    const isNew = !seen.has(idx)
    seen.add(idx)
    return isNew
  })
}

test(`any record at all is answered (SEED=${SEED})`, () => {
  fc.assert(
    fc.property(anyRecord(catalog, 'readmission30'), fc.jsonValue({ maxDepth: 4 }), (record, value) => {
      const results = answer(scorerOf('readmission30'), `[${spell(record)},${JSON.stringify(value)}]`)
      assert.equal(results.length, 2)
    }),
    { ...RUNS, numRuns: 6 * RUNS.numRuns },
  )
})
