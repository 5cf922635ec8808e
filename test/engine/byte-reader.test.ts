/** The byte reader gives the reference's answers: byte for byte, whatever it is sent. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { MODULE_FILE, compileReader, moduleText } from '../../scripts/build-wasm.ts'
import type { Domain } from '../../src/definition/domain.ts'
import { Assessor } from '../../src/engine/assess.ts'
import { type ReaderTools, answerArray } from '../../src/engine/bytes/answer-array.ts'
import { AnswerWriter } from '../../src/engine/bytes/answer-writer.ts'
import { RecordList } from '../../src/engine/bytes/record-list.ts'
import { makeMachine } from '../../src/engine/bytes/machine.ts'
import { compileModel } from '../../src/engine/model.ts'
import { makePlan } from '../../src/engine/plan.ts'
import { type ScorerOptions, createScorer } from '../../src/engine/scorer.ts'
import { compareSeed } from '../fuzz/compare.ts'
import { loadForFuzz, makePairs } from '../fuzz/deployments.ts'

const RECORDS = 500_000
const TODAY = 20_260_131
const catalog = loadForFuzz()
const pairs = makePairs(catalog)
const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

test('the module in the engine is what its source compiles to', async () => {
  assert.equal(readFileSync(MODULE_FILE, 'utf8'), moduleText(await compileReader()))
})

test('seeds that once found a difference find none', () => {
  const file = new URL('../fuzz/found-seeds.json', import.meta.url)
  for (const { seed, was } of JSON.parse(readFileSync(file, 'utf8')) as { seed: number; was: string }[]) {
    assert.equal(compareSeed(pairs, seed).difference, undefined, was)
  }
})

test(`${RECORDS} records, many of them damaged, get the same answers from both readers`, () => {
  const first = Date.now() % 1_000_000_000
  let records = 0
  let seed = first
  for (; records < RECORDS; seed++) {
    const comparison = compareSeed(pairs, seed)
    assert.equal(comparison.difference, undefined, `seed ${seed} on ${comparison.pair}`)
    records += comparison.records
  }
  process.stdout.write(`# seeds ${first} to ${seed - 1}, ${records} records\n`)
})

const OPTIONS: ScorerOptions = {
  output: { kind: 'number' },
  reportUnknown: false,
  maxRecords: 10_000,
  maxDepth: 8,
  maxKeys: 1_024,
  maxLineBytes: 1 << 20,
}
const RIGHT = '"age":84,"sex":"F","inpatientAdmissions":2,"emergencyAdmissions":1,"stayDays":7'

/** Records, and whether the byte reader answers them itself. */
const TAKEN: readonly (readonly [string, boolean, string])[] = [
  ['a plain record', true, `{"idx":1,${RIGHT}}`],
  [
    'white space between all tokens',
    true,
    `{ "idx" : 1 , ${RIGHT.replaceAll(':', ' :\t').replaceAll(',', '\n,\r')} }`,
  ],
  ['keys in another order', true, `{${RIGHT},"idx":1}`],
  ['a null', true, `{"idx":1,${RIGHT},"mna_total":null}`],
  [
    'a scale with its right total',
    true,
    `{"idx":1,${RIGHT},"tinetti_balance":16,"tinetti_gait":12,"tinetti_total":28}`,
  ],
  ['half points', true, `{"idx":1,${RIGHT},"mna_total":23.5}`],
  ['a decimal', true, `{"idx":1,${RIGHT},"haemoglobin":12.75}`],
  ['a date', true, `{"idx":1,${RIGHT},"mna_date":"29-02-2024"}`],
  ['a rule that is no sum', true, `{"idx":1,${RIGHT},"cam_acuteOnset":1,"cam_inattention":1,"cam_total":0}`],
  ['alternatives', true, `{"idx":1,${RIGHT},"mnaSf_bmi":1}`],
  ['both of two alternatives', false, `{"idx":1,${RIGHT},"mnaSf_bmi":1,"mnaSf_calfCircumference":3}`],
  ['a wrong total', false, `{"idx":1,${RIGHT},"tinetti_balance":16,"tinetti_gait":12,"tinetti_total":27}`],
  ['a date in the future', false, `{"idx":1,${RIGHT},"mna_date":"01-02-2026"}`],
  ['no such day', false, `{"idx":1,${RIGHT},"mna_date":"29-02-2023"}`],
  ['an escape in a key', false, `{"idx":1,${RIGHT.replace('age', '\\u0061ge')}}`],
  ['an escape in a value', false, `{"idx":1,${RIGHT.replace('"F"', '"\\u0046"')}}`],
  ['a key twice', false, `{"idx":1,${RIGHT},"age":84}`],
  ['a null and a value for one key', false, `{"idx":1,"age":null,${RIGHT}}`],
  ['an unknown name', false, `{"idx":1,${RIGHT},"patient":1}`],
  ['an exponent', false, `{"idx":1,${RIGHT.replace('84', '8.4e1')}}`],
  ['a whole number with a point', false, `{"idx":1,${RIGHT.replace('84', '84.0')}}`],
  ['out of range', false, `{"idx":1,${RIGHT.replace('84', '184')}}`],
  ['a missing input', false, `{"idx":1,${RIGHT.replace('"age":84,', '')}}`],
  ['no idx', false, `{${RIGHT}}`],
  ['a negative idx', false, `{"idx":-1,${RIGHT}}`],
  ['an idx of sixteen digits', false, `{"idx":9007199254740991,${RIGHT}}`],
  ['a declared coding', false, `{"idx":1,${RIGHT},"charlson_coding":"folded"}`],
  ['no object', false, '[1]'],
  ['an empty object', false, '{}'],
]

/** The tools of a byte reader that says which records it left. */
function readerOf(id: string): { tools: ReaderTools; left: () => number } {
  const model = catalog.models.get(id)?.definition
  assert.ok(model)
  const plan = makePlan(catalog.knowledge, model)
  const compiled = compileModel(model, plan)
  const machine = makeMachine(plan, compiled, { printRisk: String, maxKeys: 1_024 })
  assert.ok(machine)
  let left = 0
  const print = (): string => {
    left++
    return '"left"'
  }
  const tools = {
    ...{ machine, assessor: new Assessor(plan, compiled), print },
    ...{ records: new RecordList(), writer: new AnswerWriter(64) },
  }
  return { tools, left: () => left }
}

for (const [name, isTaken, record] of TAKEN) {
  test(`the byte reader ${isTaken ? 'answers' : 'leaves'} ${name}, and the records beside it are its own`, () => {
    const { tools, left } = readerOf('readmission30@1.0.0')
    const body = encode(`[{"idx":0,${RIGHT}},${record},{"idx":2,${RIGHT}}]`)
    const options = { today: TODAY, reportUnknown: false, maxRecords: 10, maxDepth: 8, maxKeys: 1_024 }
    const answer = answerArray(body, tools, options)
    assert.ok(answer)
    assert.equal(left(), isTaken ? 0 : 1)
  })
}

/** Bodies whose structure is in doubt: the reference must see them whole. */
const DOUBTFUL = [
  ...['', ' ', '{}', 'null', '[', '[{"idx":1', '[{"idx":1}', '[{"idx":1}]x', '[{"idx":1},]', '[,{"idx":1}]'],
  ...[
    '[{"idx":1}{"idx":2}]',
    '[{"idx":1]]',
    '[{"idx":01}]',
    '[[[[[[[[[]]]]]]]]]',
    '\u{feff}[]',
    '[{"a":"\u0001"}]',
  ],
]
for (const body of DOUBTFUL) {
  test(`the reference sees the whole of ${JSON.stringify(body)}`, () => {
    const { tools } = readerOf('readmission30@1.0.0')
    const options = { today: TODAY, reportUnknown: false, maxRecords: 10, maxDepth: 8, maxKeys: 1_024 }
    assert.equal(answerArray(encode(body), tools, options), undefined)
  })
}

test('every model is read by the byte reader: its own scored cases are answered without the reference', () => {
  for (const id of catalog.models.keys()) {
    const { tools, left } = readerOf(id)
    const [id0 = ''] = id.split('@')
    const cases = JSON.parse(
      readFileSync(new URL(`../../clinical/models/${id0}/cases.json`, import.meta.url), 'utf8'),
    ) as { record: object; risk?: number | null }[]
    const scored = cases.filter(({ risk }) => typeof risk === 'number')
    const body = encode(JSON.stringify(scored.map(({ record }, idx) => ({ ...record, idx }))))
    const options = { today: TODAY, reportUnknown: false, maxRecords: 1e4, maxDepth: 8, maxKeys: 1_024 }
    assert.ok(answerArray(body, tools, options))
    assert.ok(left() <= scored.length / 2, `${id} leaves ${left()} of ${scored.length}`)
  }
})

test('a body of many windows, with faults and repeated idx in it, gets the same answer', () => {
  const model = catalog.models.get('readmission30@1.0.0')?.definition
  assert.ok(model)
  const records = Array.from({ length: 10_000 }, (_, index) => {
    const idx = index % 997 === 0 ? 5 : index + 10
    return `{"idx":${idx},${index % 50 === 0 ? RIGHT.replace('84', '400') : RIGHT},"barthel_feeding":10}`
  })
  const body = encode(`[${records.join(',')}]`)
  const fast = createScorer(catalog.knowledge, model, { ...OPTIONS, reader: 'bytes' }).score(body, TODAY)
  const slow = createScorer(catalog.knowledge, model, { ...OPTIONS, reader: 'reference' }).score(body, TODAY)
  assert.equal(decode(fast.bytes), decode(slow.bytes))
  assert.deepEqual(fast.tally, slow.tally)
})

/** What is worked out for one record must be gone for the next. */
const WORKED_OUT = [
  ['a plain sum', 'profund@1.0.0', 'barthel'],
  ['a sum in the default coding', 'charlson10y@1.0.0', 'charlson'],
] as const
for (const [name, id, scale] of WORKED_OUT) {
  test(`a total by ${name} that one record gives does not reach the next`, () => {
    const model = catalog.models.get(id)?.definition
    assert.ok(model)
    const plan = makePlan(catalog.knowledge, model)
    const entries = (isOfScale: boolean): [string, unknown][] =>
      plan.fields.flatMap(({ name: field, domain, scale: index }, slot): [string, unknown][] => {
        const form = plan.scales[index]?.defaultForm
        const isPart = field.startsWith(`${scale}_`)
        if (isPart !== isOfScale || (!isPart && !Object.hasOwn(model.inputs, field))) return []
        if (isPart && (domain.kind !== 'list' || /_(total|ageAdjusted|agePoints)$/.test(field))) return []
        // A form of a coded scale has some of its items only, with their own values.
        if (isPart && form !== undefined && !form.domains.has(slot)) return []
        return [[field, valueOf((isPart ? form?.domains.get(slot) : undefined) ?? domain)]]
      })
    const whole = { idx: 1, ...Object.fromEntries([...entries(false), ...entries(true)]) }
    const without = { idx: 2, ...Object.fromEntries(entries(false)) }
    const body = encode(JSON.stringify([whole, without]))
    const fast = createScorer(catalog.knowledge, model, { ...OPTIONS, reader: 'bytes' }).score(body, TODAY)
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

for (const behind of ['x', ',', `{"idx":2,${RIGHT}}`, '\u0000', '"']) {
  test(`a line that goes on behind its record with ${JSON.stringify(behind)} is no JSON value`, () => {
    const model = catalog.models.get('readmission30@1.0.0')?.definition
    assert.ok(model)
    const chunk = encode(`{"idx":1,${RIGHT}}\n{"idx":2,${RIGHT}} ${behind}\n{"idx":3,${RIGHT}}\n`)
    const answer = createScorer(catalog.knowledge, model, OPTIONS).scoreLines(chunk, TODAY)
    assert.equal(answer.refused?.line, 1)
    assert.deepEqual([...answer.idxs], [1])
  })
}

test('without WebAssembly the reference serves', () => {
  const model = catalog.models.get('readmission30@1.0.0')?.definition
  assert.ok(model)
  const holder = globalThis as { WebAssembly?: unknown }
  const kept = holder.WebAssembly
  delete holder.WebAssembly
  try {
    const plan = makePlan(catalog.knowledge, model)
    assert.equal(makeMachine(plan, compileModel(model, plan), { printRisk: String, maxKeys: 9 }), undefined)
    const scorer = createScorer(catalog.knowledge, model, OPTIONS)
    const { bytes } = scorer.score(encode(`[{"idx":1,${RIGHT}}]`), TODAY)
    assert.equal(decode(bytes), '[{"idx":1,"risk":0.2294,"error_message":null}]')
  } finally {
    holder.WebAssembly = kept
  }
})
