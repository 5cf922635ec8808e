/** What counts of a feed say: each kind of doubt at its limit, and that right feeds have none. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doubtsOf, falselyDoubted, profiledOf, runsOf } from '../../../test/simulate/feeds.ts'
import { blocksOf, patientsOf } from '../../../test/simulate/feed-patients.ts'
import { WRONG_FEEDS, lacking } from '../../../test/simulate/wrong-feeds.ts'

/** What each wrong feed is named for first, at every hospital. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  'H for men, M for women': ['codes'],
  'sexes exchanged': ['codes'],
  'sex of the row before': ['misaligned', 'codes'],
  'sex: F for everybody': ['constant'],
  'haemoglobin: HbA1c': ['quantity'],
  'admissions with the present one': ['period'],
  'age in tens': ['digits'],
  'age capped at 85': ['limit'],
  'stay: 0 for everybody': ['constant'],
  'haemoglobin: 9.9 in one of 5': ['missing-code'],
  'dementia inverted': ['share', 'codes', 'misaligned'],
  'yes as S, no as N': ['codes'],
  'decimal comma': ['selective'],
  'month before day': ['format'],
  'date: 1900': ['missing-code'],
  'no stay': ['missing'],
  'one template for ten patients': ['copied', 'constant'],
  'every record twice': ['repeated'],
  'emergency visits of six months': ['quantity'],
}

for (const [name, kinds] of Object.entries(KINDS)) {
  test(`named within 200 records: ${name}`, () => {
    const feed = WRONG_FEEDS.find((each) => each.name === name)
    assert.ok(feed)
    const [run] = runsOf([feed], 2)
    assert.ok(Math.max(...(run?.after ?? [])) <= 200, `after ${run?.after.join(', ')} records`)
    assert.ok(
      run?.kinds.every((kind) => kinds.includes(kind)),
      run?.kinds.join(', '),
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
