/** The watch of feeds in reduced form: wrong feeds are named at every hospital, right ones are not doubted. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { falselyDoubted, profiledOf, runsOf } from './feeds.ts'
import { WRONG_FEEDS, withinOf } from './feeds/catalogue.ts'
import { blocksOf, patientsOf } from './feeds/patients.ts'

const SEEN_SOON = WRONG_FEEDS.filter(({ noticed }) => noticed === 'one record' || noticed === '200 records')

for (const { feed, after } of runsOf(SEEN_SOON, 5)) {
  test(`named at four of five hospitals or more: ${feed.id}`, () => {
    const most = withinOf(feed)
    assert.ok(after.filter((records) => records <= most).length >= 4, after.join(', '))
  })
}

test('right hospitals are not doubted', () => {
  assert.equal(falselyDoubted(30, 1_000, patientsOf), 0)
  assert.equal(falselyDoubted(3, 10_000, patientsOf), 0)
  assert.equal(falselyDoubted(3, 10_000, blocksOf), 0)
  assert.equal(falselyDoubted(5, 10_000, profiledOf), 0)
})
