/** The byte reader gives the reference's answers, byte for byte, whatever it is sent. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { findModel } from '@patient-risk/catalog'
import { createScorer } from '../../src/scorer.ts'
import { compareRecords, compareSeed } from '../fuzz/compare.ts'
import { loadForFuzz, makePairs } from '../fuzz/deployments.ts'
import { OPTIONS } from '../../../../test/support/small-definitions.ts'

/** `npm run test:all` compares 250,000 more, with a random seed. */
const RECORDS = 1_500
const FIRST_SEED = 1
const TODAY = 20_260_131
const catalog = loadForFuzz()
const pairs = makePairs(catalog)
const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

test('seeds that once found a difference find none', () => {
  const file = new URL('../fuzz/found-seeds.json', import.meta.url)
  for (const { seed, was } of JSON.parse(readFileSync(file, 'utf8')) as { seed: number; was: string }[]) {
    assert.equal(compareSeed(pairs, seed).difference, undefined, was)
  }
})

test(`${RECORDS} records, many of them damaged, get the same answers from both readers`, () => {
  compareRecords(pairs, FIRST_SEED, RECORDS)
})

const RIGHT = '"age":84,"sex":"F","inpatientAdmissions":2,"emergencyAdmissions":1,"stayDays":7'

test('a body of many windows, with faults and repeated idx in it, gets the same answer', () => {
  const model = findModel(catalog, 'readmission30')?.definition
  assert.ok(model)
  const records = Array.from({ length: 10_000 }, (_, index) => {
    const idx = index % 997 === 0 ? 5 : index + 10
    return `{"idx":${idx},${index % 50 === 0 ? RIGHT.replace('84', '400') : RIGHT},"barthel_feeding":10}`
  })
  const body = encode(`[${records.join(',')}]`)
  const fast = createScorer(catalog.definitions, model, { ...OPTIONS, reader: 'bytes' }).score(body, TODAY)
  const slow = createScorer(catalog.definitions, model, { ...OPTIONS, reader: 'reference' }).score(
    body,
    TODAY,
  )
  assert.equal(decode(fast.bytes), decode(slow.bytes))
  assert.deepEqual(fast.tally, slow.tally)
})
