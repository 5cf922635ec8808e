/** Who watches a feed sees each record once, by whichever reader it was read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findModel } from '@patient-risk/catalog'
import type { RecordWatch } from '../../src/answer/record-watch.ts'
import { makePlan } from '../../src/plan/plan.ts'
import { type ScorerOptions, createScorer } from '../../src/scorer.ts'
import { loadForFuzz } from '../fuzz/deployments.ts'
import { OPTIONS } from '../../../../test/support/small-definitions.ts'

const TODAY = 20_260_131
const catalog = loadForFuzz()
const found = findModel(catalog, 'readmission30')
assert.ok(found)
const model = found.definition
const { slotByName } = makePlan(catalog.definitions, model)
const AGE = slotByName.get('age') as number
const HAEMOGLOBIN = slotByName.get('haemoglobin') as number

/** Notes the ages that it sees, with the risk where there is one. */
class Noted implements RecordWatch {
  readonly ages: number[] = []
  readonly refused: unknown[] = []
  scored = 0
  begin(): void {
    this.ages.length = 0
    this.refused.length = 0
    this.scored = 0
  }
  see(slots: Parameters<RecordWatch['see']>[0], { blocked, risk }: Parameters<RecordWatch['see']>[1]): void {
    this.ages.push(slots.valueOf(AGE))
    if (!blocked && risk > 0 && risk < 1) this.scored++
  }
  seeRefused(slots: Parameters<RecordWatch['seeRefused']>[0]): void {
    this.refused.push(...slots.refused)
  }
}

const record = (age: number, more = ''): string =>
  `{"idx":${age},"age":${age},"sex":"F","inpatientAdmissions":2,"emergencyAdmissions":1,"stayDays":7${more}}`
const RECORDS = [
  record(70),
  record(71, ',"sex":"H"').replace('"sex":"F",', ''),
  record(72, ',"haemoglobin":1e1'),
  record(73, ',"barthel_total":17'),
  record(74, ',"\\u0061lbumin":3'),
  record(75),
]
const AGES = [70, 71, 72, 73, 74, 75]
const scorerBy = (reader: ScorerOptions['reader']): ReturnType<typeof createScorer> =>
  createScorer(catalog.definitions, model, { ...OPTIONS, maxLineBytes: 10_000, reader })

for (const reader of ['bytes', 'reference'] as const) {
  const scorer = scorerBy(reader)
  const watched = (text: string, form: 'body' | 'lines' = 'body'): Noted => {
    const noted = new Noted()
    const bytes = new TextEncoder().encode(text)
    if (form === 'body') scorer.score(bytes, TODAY, undefined, { watch: noted })
    else scorer.lines.score(bytes, TODAY, { first: 0, duplicates: new Set() }, undefined, { watch: noted })
    return noted
  }

  test(`${reader}: every record of a body and of lines is seen once, faulty or not`, () => {
    for (const noted of [watched(`[${RECORDS.join(',')}]`), watched(RECORDS.join('\n'), 'lines')]) {
      assert.deepEqual(
        noted.ages.toSorted((a, b) => a - b),
        AGES,
      )
      assert.equal(noted.scored, RECORDS.length - 1)
      assert.deepEqual(noted.refused, [slotByName.get('sex'), 'H'])
    }
  })

  test(`${reader}: texts in place of a number, a date, a code, or yes or no are shown as they came`, () => {
    const texts = { haemoglobin: 'NA', stayDays: '.', barthel_total: 'x', barthel_date: 'ND', dementia: '' }
    const noted = watched(`[${JSON.stringify({ idx: 1, age: 70, ...texts, caregiver: null, sodium: [] })}]`)
    const shown = Object.entries(texts).flatMap(([field, text]) => [slotByName.get(field), text])
    assert.deepEqual(noted.refused, shown)
  })

  test(`${reader}: a body that is read a second time counts once`, () => {
    const repeated = [...RECORDS, record(70), record(76, ',"stayDays":8')]
    assert.deepEqual(
      watched(`[${repeated.join(',')}]`).ages.toSorted((a, b) => a - b),
      [70, ...AGES, 76],
    )
  })

  test(`${reader}: of a large body a part is seen, as many of the faulty records as of the others`, () => {
    const many = Array.from({ length: 4_000 }, (_, at) =>
      record(60, at % 4 === 0 ? ',"haemoglobin":99' : ',"haemoglobin":12').replace('60', String(at)),
    )
    const noted = new Noted()
    let high = 0
    noted.see = (slots) => {
      noted.ages.push(1)
      if (slots.valueOf(HAEMOGLOBIN) === 99) high++
    }
    // No multiple of the rhythm of the faulty ones.
    const sample = { all: 0, every: 15, first: 3 }
    scorer.score(new TextEncoder().encode(`[${many.join(',')}]`), TODAY, undefined, { watch: noted, sample })
    assert.ok(Math.abs(noted.ages.length - many.length / 15) <= 2, String(noted.ages.length))
    assert.ok(high > 0.15 * noted.ages.length && high < 0.35 * noted.ages.length, String(high))
  })
}

test('a call that nobody watches shows nothing to the watch of the call before', () => {
  const scorer = scorerBy('bytes')
  const noted = new Noted()
  const bytes = new TextEncoder().encode(`[${RECORDS.join(',')}]`)
  scorer.score(bytes, TODAY, undefined, { watch: noted })
  scorer.score(bytes, TODAY)
  assert.equal(noted.ages.length, AGES.length)
})
