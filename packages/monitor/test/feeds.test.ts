/** What counts of a feed say: each kind of doubt at its limit, and that right feeds have none. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doubtsOf, falselyDoubted, profiledOf, runsOf } from '../../../test/simulate/feeds.ts'
import { feedOf } from '../../../test/simulate/feeds/catalogue.ts'
import { type PatientRecord, blocksOf, lacking, patientsOf } from '../../../test/simulate/feeds/patients.ts'

/** What each wrong feed is named for first, at every hospital. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  'sex-es-hm': ['codes'],
  'sex-es-hembra': ['codes'],
  'sex-row-shift': ['misaligned', 'codes'],
  'sex-default-f': ['constant'],
  'hb-a1c': ['quantity'],
  'admissions-plus-index': ['period'],
  'age-tens': ['digits'],
  'age-cap-85': ['limit'],
  'stay-zero': ['constant'],
  'missing-hb-9_9': ['missing-code'],
  'yesno-inverted-dementia': ['share', 'codes', 'misaligned'],
  'yesno-sn': ['codes'],
  'decimal-comma-json': ['selective'],
  'date-mdy': ['format'],
  'date-const-1900': ['missing-code'],
  'stay-absent': ['missing'],
  'missing-age-99': ['missing-code'],
  'template-ward': ['copied', 'constant', 'misaligned'],
  'duplicate-other-idx': ['repeated'],
  'emergency-6m': ['quantity'],
  'missing-hb-minus9': ['missing-code'],
  'missing-hb-na': ['missing-code'],
  'missing-sodium-99': ['missing-code'],
  'barthel-inverted': ['quantity'],
  'dementia-all-no': ['misaligned'],
  'weight-before-same': ['quantity'],
}

for (const [id, kinds] of Object.entries(KINDS)) {
  test(`named within 200 records: ${id}`, () => {
    const [run] = runsOf([feedOf(id)], 2)
    assert.ok(Math.max(...(run?.after ?? [])) <= 200, `after ${run?.after.join(', ')} records`)
    assert.ok(
      run?.kinds.every((kind) => kinds.includes(kind)),
      run?.kinds.join(', '),
    )
  })
}

/** Ages from 65 to 89, and so many of 90: none is higher. */
const endingAt90 = (many: number): readonly PatientRecord[] =>
  patientsOf(1, 200).map((record, at) => {
    return { ...record, age: at % 24 === 0 && at < 24 * many ? 90 : 65 + ((at * 7) % 25) }
  })

for (const [many, isNamed] of [
  [7, false],
  [8, true],
  [9, true],
] as const) {
  test(`${many} of 200 patients at the age of 90, and none above it, are ${isNamed ? 'a' : 'no'} limit`, () => {
    const limits = doubtsOf(endingAt90(many)).filter(({ doubt }) => doubt === 'limit')
    assert.deepEqual(
      limits.map(({ field }) => field),
      isNamed ? ['age'] : [],
    )
  })
}

test('right feeds of three kinds have no doubt', () => {
  assert.equal(falselyDoubted(8, 400, patientsOf), 0)
  assert.equal(falselyDoubted(2, 1_200, blocksOf), 0)
  assert.equal(falselyDoubted(4, 1_200, profiledOf), 0)
})

test('a feed that was right for 1,400 records is then compared with its own past', () => {
  const changed = patientsOf(1, 2_000).map((record, at) =>
    at < 1_400 ? record : { ...record, acuteAdmission: at % 4 === 0 },
  )
  const found = doubtsOf(changed)
  assert.deepEqual(
    found.map(({ field, doubt }) => [field, doubt]),
    [['acuteAdmission', 'share']],
  )
  assert.ok(found.every(({ after }) => after > 1_400 && after <= 1_800))
  const gone = patientsOf(1, 2_000).map((record, at) =>
    at < 1_400 ? record : lacking(record, 'acuteAdmission'),
  )
  assert.deepEqual(
    doubtsOf(gone).map(({ field, doubt }) => [field, doubt]),
    [['acuteAdmission', 'missing']],
  )
})
