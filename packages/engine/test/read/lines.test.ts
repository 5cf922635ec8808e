/** Records a line each get the same results as the same records in a body. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/fast-check.ts'
import { makeDeployments, loadCatalog } from '@patient-risk/catalog'
import { DEFAULT_FILE } from '@patient-risk/catalog/config'
import { AnswerBuilder, AnswerTools } from '../../src/answer/answer-builder.ts'
import { Assessor } from '../../src/answer/assess.ts'
import { makePlan } from '../../src/plan/plan.ts'
import { answerLines } from '../../src/answer/lines.ts'
import { compileModel } from '../../src/score/model.ts'
import type { Scorer } from '../../src/scorer.ts'

const TODAY = 20260601
const WHOLE = { first: 0, duplicates: new Set<number>() }
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (of: Uint8Array): string => new TextDecoder().decode(of)

const { catalog } = loadCatalog(['clinical'])
assert.ok(catalog)
const settings = { ...DEFAULT_FILE.deployments[0], limits: { lineBytes: 200 } }
const [deployment] = makeDeployments(catalog, [settings as never]).deployments
assert.ok(deployment)
const scorer: Scorer = deployment.scorer
const { definition } = deployment.model

function results(lines: string, place = WHOLE): unknown[] {
  const answer = text(scorer.lines.score(bytes(lines), TODAY, place).bytes)
  assert.ok(answer === '' || answer.endsWith('\n'))
  return answer
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown)
}

const good = '{"idx":1,"age":84,"sex":"F","inpatientAdmissions":2,"emergencyAdmissions":1,"stayDays":7}'
const notAnObject = (position: number): unknown => ({
  idx: null,
  risk: null,
  error_message: [
    {
      Field: 'record',
      FieldDate: '',
      ExtendError: `ValueError for value Record in idx ${position} (not an object)`,
    },
  ],
})

const NO_RECORDS: readonly (readonly [string, string | Uint8Array])[] = [
  ['text', 'hello'],
  ['a number', '5'],
  ['an array', '[{"idx":1}]'],
  ['half a record', good.slice(0, 40)],
  ['two records', good + good],
  ['a byte order mark', `\uFEFF${good}`],
  ['nesting beyond the limit', `{"idx":1,"x":${'['.repeat(7)}${']'.repeat(7)}}`],
  ['more bytes than a line may have', `{"idx":1,"x":"${'x'.repeat(200)}"}`],
  ['bytes that are not UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)],
]
for (const [what, line] of NO_RECORDS) {
  test(`a line that holds ${what} is refused alone`, () => {
    const own = typeof line === 'string' ? bytes(line) : line
    const chunk = Buffer.concat([bytes(`${good}\n`), own, bytes(`\n${good.replace('1,', '2,')}`)])
    const answer = text(scorer.lines.score(chunk, TODAY, WHOLE).bytes).split('\n')
    assert.deepEqual(JSON.parse(answer[1] ?? ''), notAnObject(1))
    assert.match(answer[0] ?? '', /"idx":1,"risk":0\./)
    assert.match(answer[2] ?? '', /"idx":2,"risk":0\./)
    assert.equal(answer.length, 4)
  })
}

test('lines that are no JSON are answered together with those around them', () => {
  const lines = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? good : 'x'))
  const chunk = bytes(lines.join('\n'))
  const asked: number[] = []
  const plan = makePlan(catalog.definitions, definition)
  const tools = new AnswerTools(new Assessor(plan, compileModel(definition, plan)))
  const options = { today: TODAY, reportUnknown: false, maxKeys: 1_024, maxRecords: 100, maxDepth: 8 }
  const answer = new AnswerBuilder('lines', tools, () => '{}', options)
  const whole = answerLines(chunk, WHOLE, answer, 200, (piece, judge) => {
    asked.push(piece.length)
    for (let at = 0; at < piece.length;) {
      const newline = piece.indexOf(0x0a, at)
      const line = piece.subarray(at, newline < 0 ? piece.length : newline)
      judge(line, at)
      at += line.length + 1
    }
    return piece.length
  })
  // If the rest were handed over again after each of them, the time would grow with the square of the lines.
  assert.deepEqual(asked, [chunk.length])
  assert.equal(whole.malformedAt, good.length + 1)
  assert.deepEqual([whole.tally.records, whole.tally.scored], [50, 25])
})

test('blank lines take no position, and neither a carriage return nor the last line feed matters', () => {
  assert.deepEqual(results(`\n \t\r\n${good}\r\n\n5`), [...results(good), notAnObject(1)])
  assert.deepEqual(results(''), [])
})

test('a piece counts on from where it stands, and a known duplicate is refused', () => {
  assert.deepEqual(results('5', { first: 700, duplicates: new Set() }), [notAnObject(700)])
  const [refused] = results(good, { first: 3, duplicates: new Set([3]) }) as {
    risk: unknown
    error_message: unknown[]
  }[]
  assert.equal(refused?.risk, null)
  assert.deepEqual(refused.error_message, [
    { Field: 'idx', FieldDate: '', ExtendError: 'ValueError for value Idx in idx 1 (duplicate)' },
  ])
})

const value = fc.oneof(
  fc.integer({ min: -5, max: 130 }),
  fc.constantFrom('F', 'M', 'X', '75', '', '01-02-2026', '31-02-2026'),
  fc.constantFrom(null, true, [], {}, { a: 1 }, 7.5, 1e21),
)
const name = fc.constantFrom(
  ...[
    'age',
    'sex',
    'inpatientAdmissions',
    'emergencyAdmissions',
    'stayDays',
    'barthel_total',
    'barthel_date',
  ],
  ...['barthel_chairTransfers', 'Age', 'barthel_x', '__proto__', 'other'],
)
// Pairs and not objects, so that a key may come twice.
const pairs = fc.array(fc.tuple(name, value), { maxLength: 12 })
const lineOf = (idx: number, fields: readonly (readonly [string, unknown])[]): string =>
  `{"idx":${idx}${fields.map(([key, of]) => `,${JSON.stringify(key)}:${JSON.stringify(of)}`).join('')}}`

test('lines and bodies give the same results, in all three calls and however the lines are cut', () => {
  fc.assert(
    fc.property(fc.array(pairs, { maxLength: 8 }), fc.nat(8), (records, cut) => {
      const lines = records
        .map((fields, position) => lineOf(position, fields))
        .filter((line) => line.length <= 200)
      for (const call of ['score', 'validate', 'explain'] as const) {
        const body = scorer[call](bytes(`[${lines.join(',')}]`), TODAY)
        const head = scorer.lines[call](bytes(lines.slice(0, cut).join('\n')), TODAY, WHOLE)
        const first = head.tally.records
        const tail = scorer.lines[call](bytes(lines.slice(cut).join('\n')), TODAY, { ...WHOLE, first })
        const joined = `[${(text(head.bytes) + text(tail.bytes)).split('\n').filter(Boolean).join(',')}]`
        assert.equal(joined, text(body.bytes))
        assert.equal(head.tally.scored + tail.tally.scored, body.tally.scored)
      }
    }),
  )
})
