/** Names around the longest that the byte reader compares. A customer's field may have any of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findModel } from '@patient-risk/catalog'
import { type Scorer, type ScorerOptions, createScorer } from '../../src/scorer.ts'
import { loadForFuzz } from '../fuzz/deployments.ts'

const TODAY = 20_260_131
const RIGHT = '"age":84,"sex":"F","inpatientAdmissions":2,"emergencyAdmissions":1,"stayDays":7'
const OPTIONS: ScorerOptions = {
  ...{ output: { kind: 'number' }, reportUnknown: false, maxLineBytes: 1 << 20 },
  ...{ maxRecords: 10, maxDepth: 8, maxKeys: 1_024 },
}
const catalog = loadForFuzz()
const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** Scorers of a catalogue that has one more field after `stayDays`, with a name of this length. */
function withLongName(length: number): { name: string; fast: Scorer; slow: Scorer } {
  const model = findModel(catalog, 'readmission30')?.definition
  const like = catalog.definitions.fields.get('haemoglobin')
  assert.ok(model !== undefined && like !== undefined)
  const name = 'h'.repeat(length)
  const fields = new Map(
    [...catalog.definitions.fields].flatMap((entry) =>
      entry[0] === 'stayDays' ? [entry, [name, like] as const] : [entry],
    ),
  )
  const definitions = { ...catalog.definitions, fields }
  const of = (reader: 'bytes' | 'reference'): Scorer =>
    createScorer(definitions, model, { ...OPTIONS, reader })
  return { name, fast: of('bytes'), slow: of('reference') }
}

for (const length of [46, 47, 48, 64, 65]) {
  test(`a field with a name of ${length} letters is known`, () => {
    const { name, fast, slow } = withLongName(length)
    const body = encode(`[{"idx":1,${RIGHT},"${name}":"high"},{"idx":2,${RIGHT},"${name}":12.5}]`)
    const answer = decode(fast.score(body, TODAY).bytes)
    assert.equal(answer, decode(slow.score(body, TODAY).bytes))
    assert.match(answer, /not a number/)
  })

  test(`zero bytes do not stand for the quotes of a name of ${length} letters`, () => {
    for (const text of [
      `[{"idx":1,${RIGHT}${'\0'.repeat(3)}${'x'.repeat(length + 1)}5}]`,
      `[{"idx":1,${RIGHT},"\0${'x'.repeat(length)}:5}]`,
    ]) {
      const { fast, slow } = withLongName(length)
      for (const { score } of [fast, slow])
        assert.throws(() => score(encode(text), TODAY), { code: 'BODY_MALFORMED' })
    }
  })
}
