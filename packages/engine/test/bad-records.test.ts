/**
 * Bad records with known truth: every one has a planted fault that must keep it from a number, and the problem that must
 * be listed is known. They stand among sound records that must all get their number.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import { makeDeployments } from '@patient-risk/catalog'
import type { ModelDefinition } from '../src/definition/model.ts'
import type { Result } from '../../../test/support/contract-records.ts'
import { Random } from '../../../test/support/random.ts'
import { testCatalog } from '../../../test/support/serve.ts'
import { goodRecord, write } from './truth/good-record.ts'
import { PLANTS, type Planted } from './truth/plant.ts'

/** Mutation testing runs this file hundreds of times and asks for fewer. */
const BAD_RECORDS = Number(process.env['RECORDS'] ?? 6_000)
const BATCH = 500
const TODAY = 20260315
const SOUND_SHARE = 0.1
const seed = Number(process.env['SEED'] ?? 1)

interface Entry {
  readonly kind: string
  readonly planted?: Planted
  readonly text: string
  readonly idx: number
}

const catalog = testCatalog()
const settings = [...catalog.models.values()].flatMap(({ definition: { id } }) => [
  { name: `${id}-number`, basePath: `/${id}`, model: id, output: 'number' as const },
  { name: `${id}-flag`, basePath: `/${id}/flag`, model: id, output: 'yes-no' as const, threshold: 0.15 },
])
const { deployments } = makeDeployments(catalog, settings)
const counts = new Map<string, number>()

for (let at = 0; at < deployments.length; at += 2) {
  const [number, flag] = deployments.slice(at, at + 2)
  assert.ok(number !== undefined && flag !== undefined)
  const { definition } = number.model
  // The default model gets the larger part, since it is what a fresh start serves.
  const share = definition.id === 'readmission30' ? 0.4 : 0.6 / (deployments.length / 2 - 1)
  test(`no bad record gets a number from ${definition.id} (SEED=${seed})`, () => {
    const random = new Random(seed + at)
    for (let made = 0; made < BAD_RECORDS * share;) {
      const batch = makeBatch(definition, random)
      made += batch.filter(({ planted }) => planted !== undefined).length
      const body = Buffer.from(`[${batch.map(({ text }) => text).join(',')}]`)
      const numbers = JSON.parse(Buffer.from(number.scorer.score(body, TODAY).bytes).toString()) as Result[]
      const flags = JSON.parse(Buffer.from(flag.scorer.score(body, TODAY).bytes).toString()) as Result[]
      assert.equal(numbers.length, batch.length)
      batch.forEach((entry, position) => {
        const result = numbers[position] as Result
        judge(entry, position, result)
        const word = result.risk === null ? null : (result.risk as number) >= 0.15 ? 'Yes' : 'No'
        assert.deepEqual(flags[position], { ...result, risk: word }, entry.text)
      })
    }
  })
}

test(`${BAD_RECORDS} bad records and every kind of fault were tried (SEED=${seed})`, () => {
  const bad = [...counts.values()].reduce((sum, count) => sum + count, 0)
  assert.ok(bad >= BAD_RECORDS, `only ${bad}`)
  for (const kind of Object.keys(PLANTS))
    assert.ok((counts.get(kind) ?? 0) > BAD_RECORDS / 2_000, `${kind}: ${counts.get(kind) ?? 0}`)
})

function makeBatch(model: ModelDefinition, random: Random): readonly Entry[] {
  const batch: Entry[] = []
  let idx = random.below(1_000) - 500
  while (batch.length < BATCH) {
    idx += 1 + random.below(3)
    const record = goodRecord(catalog, model, idx, random)
    if (random.chance(SOUND_SHARE)) {
      batch.push({ kind: 'sound', text: write(record), idx })
      continue
    }
    // A record with a thousand keys is rare in life and slow to make.
    const kind = random.pick(Object.keys(PLANTS))
    if (kind === 'tooManyKeys' && random.chance(0.9)) continue
    const planted = PLANTS[kind]?.({ catalog, model, record, random })
    if (planted === undefined) continue
    const entry = { kind, planted, text: planted.instead ?? write(record), idx }
    for (let copy = 0; copy < (planted.copies ?? 1); copy++) batch.push(entry)
  }
  return batch
}

function judge({ kind, planted, text, idx }: Entry, position: number, result: Result): void {
  const items = result.error_message ?? []
  if (planted === undefined) {
    assert.equal(typeof result.risk, 'number', text)
    assert.deepEqual([result.idx, items], [idx, []], text)
    return
  }
  counts.set(kind, (counts.get(kind) ?? 0) + 1)
  assert.equal(result.risk, null, `${kind}: ${text}`)
  assert.equal(result.idx, planted.losesIdx === true ? null : idx, text)
  const shown = planted.losesIdx === true ? position : idx
  const item = planted.field.slice(planted.field.indexOf('_', 1) + 1)
  const name = catalog.scales.has(planted.field.split('_')[0] ?? '') ? item : planted.field
  const message =
    planted.reason === undefined
      ? `ValueMissing for value ${planted.field}`
      : `ValueError for value ${name.charAt(0).toUpperCase()}${name.slice(1)} in idx ${shown} (${planted.reason})`
  assert.ok(
    items.some(({ Field, ExtendError }) => Field === planted.field && ExtendError === message),
    `${kind}: ${message} is not among ${JSON.stringify(items)} for ${text.slice(0, 600)}`,
  )
}
