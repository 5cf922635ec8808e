/** A feed that means something else is named at each entrance of the service; the slow test has more feeds, and files and tables too. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Entrance, Entrances, doubtedSites, outcomeOf } from './feed-entrances.ts'
import { feedOf } from './feeds/catalogue.ts'

let entrances: Entrances

before(async () => {
  entrances = await Entrances.open()
})
after(() => entrances.close())

const NAMED: readonly (readonly [Entrance, string])[] = [
  ['HTTP', 'missing-age-0'],
  ['stream', 'sex-es-hm'],
  ['FHIR', 'hb-mmol'],
]
for (const [entrance, id] of NAMED) {
  test(`${entrance}: ${id} is named`, async () => {
    const outcome = await outcomeOf(entrances, entrance, feedOf(id), 1)
    assert.equal(outcome?.named, 1)
    assert.notEqual(outcome.hasProblem, false, 'the first faulty record has the problem of the field')
  })
}

test('a right site is not doubted over HTTP', async () => {
  assert.equal(await doubtedSites(entrances, 'HTTP', 1, 200), 0)
})
