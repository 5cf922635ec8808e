/** Random documents: the terms that the reader gives answer every record as the standard says. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPmml } from '../../../../src/learn/import/pmml/read-pmml.ts'
import { NotSupported, type SourceModel } from '../../../../src/learn/import/source.ts'
import { Random } from '../../../../../../test/support/random.ts'
import { AbsenceRefused, type FeatureRecord, answerOf } from './answer.ts'
import { Documents, EVENT, randomRecord } from './generate.ts'
import { evaluatePmml, hasInvalid } from './reference.ts'

const DOCUMENTS = Number(process.env['PMML_DOCUMENTS'] ?? 100)
const RECORDS = 25
/** Seeds of documents that were read wrongly once. */
const FOUND = [513]
/** Fields of 32 bits are compared exactly, and added up in 64 bits. */
const SAME = 1e-6

test(`${DOCUMENTS} random documents answer as the standard says`, () => {
  const read = new Map<string, number>()
  let answered = 0
  let unanswered = 0
  for (const seed of [...Array(DOCUMENTS).keys(), ...FOUND]) {
    const random = new Random(seed)
    const text = new Documents(random).document()
    const mayBeAbsent = random.chance(0.5)
    const model = readOrRefuse(text, mayBeAbsent)
    if (model === undefined) continue
    const kind = /<\/(\w+)><\/PMML>$/.exec(text)?.[1] ?? ''
    read.set(kind, (read.get(kind) ?? 0) + 1)
    for (let count = 0; count < RECORDS; count++) {
      const record = randomRecord(random, mayBeAbsent)
      // The specification does not permit what the file calls invalid.
      if (hasInvalid(text, record)) continue
      const expected = evaluatePmml(text, record, EVENT)
      const actual = answer(model, record)
      if (actual === 'refused') continue
      if (expected === undefined) unanswered++
      else answered++
      const isSame =
        expected === undefined || actual === undefined
          ? expected === actual
          : Math.abs(expected - actual) <= SAME * Math.max(1, Math.abs(expected))
      assert.ok(isSame, `seed ${seed}, ${JSON.stringify(record)}: ${expected} expected, ${actual} given`)
    }
  }
  for (const kind of ['TreeModel', 'RegressionModel', 'GeneralRegressionModel', 'Scorecard', 'MiningModel'])
    assert.ok(
      (read.get(kind) ?? 0) > DOCUMENTS / 25,
      `only ${read.get(kind)} documents with a ${kind} were read`,
    )
  assert.ok(answered > DOCUMENTS && unanswered > DOCUMENTS / 2)
})

function readOrRefuse(text: string, mayBeAbsent: boolean): SourceModel | undefined {
  try {
    return readPmml(text, { event: EVENT, mayBeAbsent: () => mayBeAbsent })
  } catch (error) {
    assert.ok(error instanceof NotSupported)
    assert.match(error.message, /^\w+ in line \d+: /)
    return undefined
  }
}

function answer(model: SourceModel, record: FeatureRecord): number | undefined | 'refused' {
  try {
    return answerOf(model, record)
  } catch (error) {
    if (error instanceof AbsenceRefused) return 'refused'
    throw error
  }
}
