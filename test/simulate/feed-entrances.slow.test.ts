/** Feeds that mean something else, at one hospital: all of them over HTTP, and some at the entrances that take longer. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Entrance, Entrances, doubtedSites, outcomeOf } from './feed-entrances.ts'
import { WRONG_FEEDS, feedOf } from './feeds/catalogue.ts'

let entrances: Entrances

before(async () => {
  entrances = await Entrances.open()
})
after(() => entrances.close())

const SEEN_SOON = WRONG_FEEDS.filter(({ noticed }) => noticed === 'one record' || noticed === '200 records')
const SOME: Readonly<Partial<Record<Entrance, readonly string[]>>> = {
  HTTP: SEEN_SOON.map(({ id }) => id),
  stream: ['rows-shifted-labs', 'thousands-idx', 'template-ward'],
  'NDJSON file': ['charlson-flags', 'missing-age-99', 'decimal-comma'],
  'CSV file': ['decimal-comma', 'names-spanish'],
  SQL: ['charlson-flags', 'missing-age-0', 'swap-inpatient-emergency', 'date-const-1900', 'thousands-idx'],
  page: ['sex-es-hm', 'height-m', 'missing-age-99'],
  FHIR: ['stay-hours', 'creatinine-mgl', 'age-tens'],
  'CDS Hooks': ['hb-mmol'],
}
for (const [entrance, ids] of Object.entries(SOME)) {
  for (const id of ids) {
    test(`${entrance}: ${id} is named`, async () => {
      const outcome = await outcomeOf(entrances, entrance as Entrance, feedOf(id), 1)
      assert.equal(outcome?.named, 1)
      assert.notEqual(outcome.hasProblem, false, 'the first faulty record has the problem of the field')
    })
  }
}

for (const entrance of ['HTTP', 'stream', 'NDJSON file', 'SQL', 'FHIR'] as const) {
  test(`${entrance}: right hospitals are not doubted`, async () => {
    assert.equal(await doubtedSites(entrances, entrance, 2, 200), 0)
  })
}
