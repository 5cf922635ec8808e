/** Which records the byte reader answers itself, and that its answers are those of the reference. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { findModel } from '@patient-risk/catalog'
import type { Domain } from '../../src/definition/domain.ts'
import {
  AnswerBuilder,
  AnswerTools,
  type BatchAnswer,
  type BatchOptions,
} from '../../src/answer/answer-builder.ts'
import { Assessor } from '../../src/answer/assess.ts'
import { makeByteReader } from '../../src/bytes/byte-reader.ts'
import { answerArray } from '../../src/bytes/read-records.ts'
import { compileModel } from '../../src/score/model.ts'
import { makePlan } from '../../src/plan/plan.ts'
import { type Scorer, type ScorerOptions, createScorer } from '../../src/scorer.ts'
import { loadForFuzz } from '../fuzz/deployments.ts'
import { OPTIONS } from '../../../../test/support/small-definitions.ts'

const TODAY = 20_260_131
const catalog = loadForFuzz()
const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const RIGHT = '"age":84,"sex":"F","inpatientAdmissions":2,"emergencyAdmissions":1,"stayDays":7'

/** So many names that no field has. */
function names(count: number): string {
  return Array.from({ length: count }, (_, index) => `"mna_x${index}":${index}`).join(',')
}

/** Who answers a record: the reader itself, the engine from what the reader has read, or the reference from its bytes. */
type Answerer = 'reader' | 'engine' | 'reference'
const ANSWERED: readonly (readonly [string, Answerer, string])[] = [
  ['a plain record', 'reader', `{"idx":1,${RIGHT}}`],
  [
    'white space between all tokens',
    'reader',
    `{ "idx" : 1 , ${RIGHT.replaceAll(':', ' :\t').replaceAll(',', '\n,\r')} }`,
  ],
  ['keys in another order', 'reader', `{${RIGHT},"idx":1}`],
  ['a null', 'reader', `{"idx":1,${RIGHT},"mna_total":null}`],
  [
    'a scale with its right total',
    'reader',
    `{"idx":1,${RIGHT},"tinetti_balance":16,"tinetti_gait":12,"tinetti_total":28}`,
  ],
  ['half points', 'reader', `{"idx":1,${RIGHT},"mna_total":23.5}`],
  ['a decimal', 'reader', `{"idx":1,${RIGHT},"haemoglobin":12.75}`],
  ['a date', 'reader', `{"idx":1,${RIGHT},"mna_date":"29-02-2024"}`],
  [
    'a rule that is no sum',
    'reader',
    `{"idx":1,${RIGHT},"cam_acuteOnset":1,"cam_inattention":1,"cam_total":0}`,
  ],
  ['alternatives', 'reader', `{"idx":1,${RIGHT},"mnaSf_bmi":1}`],
  ['both of two alternatives', 'engine', `{"idx":1,${RIGHT},"mnaSf_bmi":1,"mnaSf_calfCircumference":3}`],
  ['a wrong total', 'engine', `{"idx":1,${RIGHT},"tinetti_balance":16,"tinetti_gait":12,"tinetti_total":27}`],
  ['a date in the future', 'engine', `{"idx":1,${RIGHT},"mna_date":"01-02-2026"}`],
  ['no such day', 'engine', `{"idx":1,${RIGHT},"mna_date":"29-02-2023"}`],
  ['an escape in a key', 'reference', `{"idx":1,${RIGHT.replace('age', '\\u0061ge')}}`],
  ['an escape in a value', 'reference', `{"idx":1,${RIGHT.replace('"F"', '"\\u0046"')}}`],
  ['a key twice', 'reference', `{"idx":1,${RIGHT},"age":84}`],
  ['a null and a value for one key', 'reference', `{"idx":1,"age":null,${RIGHT}}`],
  ['an unknown name', 'reader', `{"idx":1,${RIGHT},"patient":1}`],
  ['an exponent', 'engine', `{"idx":1,${RIGHT.replace('84', '8.4e1')}}`],
  ['a whole number with a point', 'reader', `{"idx":1,${RIGHT.replace('84', '84.0')}}`],
  ['a whole number with zeros after its point', 'reader', `{"idx":1,${RIGHT.replace('84', '84.000')}}`],
  ['a fraction after zeros', 'engine', `{"idx":1,${RIGHT.replace('84', '84.001')}}`],
  ['out of range', 'engine', `{"idx":1,${RIGHT.replace('84', '184')}}`],
  ['a missing input', 'engine', `{"idx":1,${RIGHT.replace('"age":84,', '')}}`],
  ['a text for a number', 'engine', `{"idx":1,${RIGHT.replace('84', '"84"')}}`],
  ['a truth for a number', 'engine', `{"idx":1,${RIGHT.replace('84', 'true')}}`],
  ['a fraction', 'engine', `{"idx":1,${RIGHT.replace('84', '84.5')}}`],
  ['a near miss', 'engine', `{"idx":1,${RIGHT},"Age" : "x" , "mna_totl":null}`],
  ['an unknown name at the start', 'reader', `{"patient":"a b","idx":1,${RIGHT}}`],
  ['an unknown name with a long value', 'reader', `{"idx":1,${RIGHT},"note":"${'x'.repeat(200)}"}`],
  [
    'an unknown name with other letters',
    'reader',
    `{"idx":1,${RIGHT},"note":"ñ \ud7ff 漢 😀 \u0080 \u0800 \u{10ffff}"}`,
  ],
  [
    'an unknown name with escapes',
    'reader',
    `{"idx":1,${RIGHT},"note":"\\" \\\\ \\/ \\b\\f\\n\\r\\t \\u00Fa \\ud800"}`,
  ],
  ['an unknown name and a fault', 'engine', `{"idx":1,${RIGHT.replace('84', '184')},"note":"ñ"}`],
  [
    'an unknown name and a wrong total',
    'engine',
    `{"idx":1,${RIGHT},"note":1,"tinetti_balance":16,"tinetti_gait":12,"tinetti_total":27}`,
  ],
  ['eight faults', 'engine', `{"idx":1,${RIGHT},${names(8)}}`],
  ['nine faults', 'reference', `{"idx":1,${RIGHT},${names(9)}}`],
  ['an unknown name twice', 'reference', `{"idx":1,${RIGHT},"x":1,"y":2,"x":3}`],
  ['an unknown name with an object', 'reference', `{"idx":1,${RIGHT},"x":{"age":1}}`],
  ['a long wrong value', 'reference', `{"idx":1,${RIGHT.replace('84', `"${'8'.repeat(80)}"`)}}`],
  ['a wrong value beyond ASCII', 'reference', `{"idx":1,${RIGHT.replace('"F"', '"ü"')}}`],
  ['no idx', 'reference', `{${RIGHT}}`],
  ['a negative idx', 'reference', `{"idx":-1,${RIGHT}}`],
  ['an idx of sixteen digits', 'reference', `{"idx":9007199254740991,${RIGHT}}`],
  ['a declared coding', 'engine', `{"idx":1,${RIGHT},"charlson_coding":"folded"}`],
  ['no object', 'reference', '[1]'],
  ['an empty object', 'reference', '{}'],
]

/** A byte reader that says how many records it did not answer itself, and how many the reference saw. */
function readerOf(id: string): {
  answer: (body: Uint8Array, options: BatchOptions) => BatchAnswer | undefined
  /** Both since they were asked for last. */
  counts: () => { readonly left: number; readonly seen: number }
} {
  const model = findModel(catalog, id)?.definition
  assert.ok(model)
  const plan = makePlan(catalog.definitions, model)
  const compiled = compileModel(model, plan)
  const reader = makeByteReader(plan, compiled, { printRisk: String, maxKeys: 1_024 })
  assert.ok(reader)
  let left = 0
  const print = (): string => {
    left++
    return '"left"'
  }
  const assessor = new Assessor(plan, compiled)
  const assess = assessor.assess.bind(assessor)
  let seen = 0
  assessor.assess = (...record) => {
    seen++
    return assess(...record)
  }
  const tools = new AnswerTools(assessor)
  return {
    answer: (body, options) => answerArray(body, reader, new AnswerBuilder('array', tools, print, options)),
    counts: () => {
      const counts = { left, seen }
      left = 0
      seen = 0
      return counts
    },
  }
}

const reader = readerOf('readmission30')
const pairs = [false, true].map((reportUnknown) => scorersOf('readmission30', { ...OPTIONS, reportUnknown }))

for (const [name, answerer, record] of ANSWERED) {
  test(`${name} is answered by the ${answerer}, as the reference does, and the records beside it are the reader's own`, () => {
    const body = encode(`[{"idx":0,${RIGHT}},${record},{"idx":2,${RIGHT}}]`)
    const options = { today: TODAY, reportUnknown: false, maxRecords: 10, maxDepth: 8, maxKeys: 1_024 }
    assert.ok(reader.answer(body, options))
    const { left, seen } = reader.counts()
    assert.deepEqual([left, seen > 0], [answerer === 'reader' ? 0 : 1, answerer === 'reference'])
    for (const { fast, slow } of pairs) {
      assert.equal(decode(fast.score(body, TODAY).bytes), decode(slow.score(body, TODAY).bytes))
      assert.deepEqual(fast.score(body, TODAY).tally, slow.score(body, TODAY).tally)
    }
  })
}

function scorersOf(id: string, options: ScorerOptions): { fast: Scorer; slow: Scorer } {
  const model = findModel(catalog, id)?.definition
  assert.ok(model)
  return {
    fast: createScorer(catalog.definitions, model, { ...options, reader: 'bytes' }),
    slow: createScorer(catalog.definitions, model, { ...options, reader: 'reference' }),
  }
}

/** Bodies whose structure is in doubt: the reference must see them whole. */
const DOUBTFUL = [
  ...['', ' ', '{}', 'null', '[', '[{"idx":1', '[{"idx":1}', '[{"idx":1}]x', '[{"idx":1},]', '[,{"idx":1}]'],
  ...[
    '[{"idx":1}{"idx":2}]',
    '[{"idx":1]]',
    '[{"idx":01}]',
    '[[[[[[[[[]]]]]]]]]',
    '\u{feff}\u{feff}[]',
    '[\u{feff}]',
    '[{"a":"\u0001"}]',
  ],
]
/** The bytes of a text in hexadecimal: no escape of JSON, or not UTF-8. */
const WRONG_TEXTS = [
  ...[
    '5c78',
    '5c7530303067',
    '5c',
    '5c75303041',
    '0a',
    '00',
    '80',
    'bf',
    'c080',
    'c1bf',
    'c3',
    'c328',
    'e0809f',
    'e08080',
  ],
  ...['eda080', 'e28228', 'e282', 'f0808080', 'f08fbfbf', 'f4908080', 'f5808080', 'f09f98', 'f09f9828', 'ff'],
]
for (const hex of WRONG_TEXTS) {
  test(`the reference sees the whole of a body with the text ${hex} under an unknown name`, () => {
    const options = { today: TODAY, reportUnknown: false, maxRecords: 10, maxDepth: 8, maxKeys: 1_024 }
    const parts = [encode(`[{"idx":1,${RIGHT},"note":"`), Buffer.from(hex, 'hex'), encode('"}]')]
    assert.equal(reader.answer(Buffer.concat(parts), options), undefined)
  })
}

for (const body of DOUBTFUL) {
  test(`the reference sees the whole of ${JSON.stringify(body)}`, () => {
    const options = { today: TODAY, reportUnknown: false, maxRecords: 10, maxDepth: 8, maxKeys: 1_024 }
    assert.equal(reader.answer(encode(body), options), undefined)
  })
}

test('every model is read by the byte reader: its own scored cases are answered without the reference', () => {
  for (const id of catalog.models.keys()) {
    const { answer, counts } = readerOf(id)
    const [id0 = ''] = id.split('@')
    const cases = JSON.parse(
      readFileSync(new URL(`../../../../clinical/models/${id0}/cases.json`, import.meta.url), 'utf8'),
    ) as { record: object; risk?: number | null }[]
    const scored = cases.filter(({ risk }) => typeof risk === 'number')
    const body = encode(JSON.stringify(scored.map(({ record }, idx) => ({ ...record, idx }))))
    const options = { today: TODAY, reportUnknown: false, maxRecords: 1e4, maxDepth: 8, maxKeys: 1_024 }
    assert.ok(answer(body, options))
    const { left } = counts()
    assert.ok(left <= scored.length / 2, `${id} leaves ${left} of ${scored.length}`)
  }
})

/** What is worked out for one record must be gone for the next. */
const WORKED_OUT = [
  ['a plain sum', 'profund', 'barthel'],
  ['a sum in the default coding', 'charlson10y', 'charlson'],
] as const
for (const [name, id, scale] of WORKED_OUT) {
  test(`a total by ${name} that one record gives does not reach the next`, () => {
    const model = findModel(catalog, id)?.definition
    assert.ok(model)
    const plan = makePlan(catalog.definitions, model)
    const entries = (isOfScale: boolean): [string, unknown][] =>
      plan.fields.flatMap(({ name: field, domain, scale: index }, slot): [string, unknown][] => {
        const form = plan.scales[index]?.defaultForm
        const isPart = field.startsWith(`${scale}_`)
        if (isPart !== isOfScale || (!isPart && !Object.hasOwn(model.inputs, field))) return []
        if (isPart && (domain.kind !== 'list' || /_(total|ageAdjusted|agePoints)$/.test(field))) return []
        // A form of a coded scale has some of its items only, with their own values.
        if (isPart && form !== undefined && form.domains.get(slot) === undefined) return []
        return [[field, valueOf((isPart ? form?.domains.get(slot) : undefined) ?? domain)]]
      })
    const whole = { idx: 1, ...Object.fromEntries([...entries(false), ...entries(true)]) }
    const without = { idx: 2, ...Object.fromEntries(entries(false)) }
    const body = encode(JSON.stringify([whole, without]))
    const fast = createScorer(catalog.definitions, model, { ...OPTIONS, reader: 'bytes' }).score(body, TODAY)
    const [first, second] = JSON.parse(decode(fast.bytes)) as { risk: number | null }[]
    assert.equal(typeof first?.risk, 'number')
    assert.equal(second?.risk, null)
  })
}

function valueOf(domain: Domain): unknown {
  switch (domain.kind) {
    case 'list':
      return domain.values[0]
    case 'code':
      return [...domain.codes.keys()][0]
    case 'yesNo':
      return false
    case 'integer':
    case 'decimal':
      return domain.from
    case 'date':
      return '01-01-2025'
  }
}

for (const rest of ['x', ',', `{"idx":2,${RIGHT}}`, '\u0000', '"']) {
  test(`a line that goes on after its record with ${JSON.stringify(rest)} is no JSON value`, () => {
    const model = findModel(catalog, 'readmission30')?.definition
    assert.ok(model)
    const chunk = encode(`{"idx":1,${RIGHT}}\n{"idx":2,${RIGHT}} ${rest}\n{"idx":3,${RIGHT}}\n`)
    const { lines } = createScorer(catalog.definitions, model, OPTIONS)
    const answer = lines.score(chunk, TODAY, { first: 0, duplicates: new Set() })
    assert.equal(answer.malformedAt, chunk.indexOf(0x0a) + 1)
    assert.deepEqual([...answer.idxs], [1, Number.NaN, 3])
  })
}

test('without WebAssembly the reference serves', () => {
  const model = findModel(catalog, 'readmission30')?.definition
  assert.ok(model)
  const holder = globalThis as { WebAssembly?: unknown }
  const kept = holder.WebAssembly
  delete holder.WebAssembly
  try {
    const plan = makePlan(catalog.definitions, model)
    assert.equal(
      makeByteReader(plan, compileModel(model, plan), { printRisk: String, maxKeys: 9 }),
      undefined,
    )
    const scorer = createScorer(catalog.definitions, model, OPTIONS)
    const { bytes } = scorer.score(encode(`[{"idx":1,${RIGHT}}]`), TODAY)
    assert.equal(decode(bytes), '[{"idx":1,"risk":0.2294,"error_message":null}]')
  } finally {
    holder.WebAssembly = kept
  }
})
