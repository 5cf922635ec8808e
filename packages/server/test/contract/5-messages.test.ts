/** Contract, section 5: messages. */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { type Served, serve } from '../../../../test/support/serve.ts'
import { contract } from '../../../../test/support/clauses.ts'
import { linear, model, results, scorerOf } from '../../../../test/support/small-definitions.ts'
import { type Result, patient, valueError } from '../../../../test/support/contract-records.ts'

let served: Served
before(async () => {
  served = await serve({
    deployments: [
      { name: 'all', basePath: '/', model: 'readmission30', output: 'number', unknownFields: 'report' },
    ],
  })
})
after(() => served.close())

/** Fields that call forth a problem, its Field, and its whole message. */
const MESSAGES = [
  [{ age: 121 }, 'age', 'ValueError for value Age in idx 8 (out of range)'],
  [{ stayDays: 1.5 }, 'stayDays', 'ValueError for value StayDays in idx 8 (not an integer)'],
  [{ sodium: 'x' }, 'sodium', 'ValueError for value Sodium in idx 8 (not a number)'],
  [{ sex: 'Q' }, 'sex', 'ValueError for value Sex in idx 8 (not a permitted value)'],
  [
    { acuteAdmission: 1 },
    'acuteAdmission',
    'ValueError for value AcuteAdmission in idx 8 (not a permitted value)',
  ],
  [{ barthel_date: 'x' }, 'barthel_date', 'ValueError for value Date in idx 8 (not a valid date)'],
  [{ barthel_date: '01-01-2099' }, 'barthel_date', 'ValueError for value Date in idx 8 (date in the future)'],
  [
    { mna_total: 12, mna_bmi: 3 },
    'mna_total',
    'ValueError for value Total in idx 8 (the sum of the given item values does not coincide with the provided total, computed sum 3)',
  ],
  [
    { barthel_chairTransfers: 7 },
    'barthel_chairTransfers',
    'ValueError for value ChairTransfers in idx 8 (out of range)',
  ],
  [{ ward: 1 }, 'ward', 'ValueError for value Ward in idx 8 (unknown field)'],
  [{ barthel_: 1 }, 'barthel_', 'ValueError for value Barthel_ in idx 8 (unknown field)'],
  [{ gds15_x_y: 1 }, 'gds15_x_y', 'ValueError for value X_y in idx 8 (unknown field)'],
  [{ age: null }, 'age', 'ValueMissing for value age'],
  [{ inpatientAdmissions: null }, 'inpatientAdmissions', 'ValueMissing for value inpatientAdmissions'],
] as const
for (const [fields, field, message] of MESSAGES) {
  contract('5.shapes', message, async () => {
    const answer = await served.post([patient(8, fields)])
    const [result] = answer.json() as Result[]
    assert.deepEqual(result?.error_message, [{ Field: field, FieldDate: '', ExtendError: message }])
  })
  contract('5.item', `${field} in: ${message}`, async () => {
    const [result] = (await served.post([patient(8, fields)])).json() as Result[]
    const shown = /for value (\S+)/.exec(result?.error_message?.[0]?.ExtendError ?? '')?.[1] ?? ''
    if (message.startsWith('ValueMissing')) assert.equal(shown, field)
    else assert.match(shown, /^[A-Z]/)
  })
}

const REASONS = [
  ['out of range', [patient(1, { age: 999 })]],
  ['not an integer', [patient(1, { age: 1.5 })]],
  ['not a number', [patient(1, { sodium: 'x' })]],
  ['not a permitted value', [patient(1, { sex: 'x' })]],
  ['not a valid date', [patient(1, { mna_date: 'x' })]],
  ['date in the future', [patient(1, { mna_date: '01-01-3000' })]],
  [
    'the sum of the given item values does not coincide with the provided total, computed sum 1',
    [patient(1, { frail_fatigue: 1, frail_total: 5 })],
  ],
  ['duplicate', [patient(1), patient(1)]],
  ['given twice', '[{"idx":1,"x":1,"x":1}]'],
  ['not an object', [7]],
  ['too many fields', [Object.fromEntries(Array.from({ length: 1025 }, (_, i) => [`f${i}`, i]))]],
  ['unknown field', [patient(1, { nobody: 1 })]],
] as const
for (const [reason, body] of REASONS) {
  contract('5.reasons', reason, async () => {
    const answer = await served.post(body)
    const items = (answer.json() as Result[]).flatMap(({ error_message }) => error_message ?? [])
    const reasons = items.flatMap(({ ExtendError }) => /\((.*)\)$/.exec(ExtendError)?.[1] ?? [])
    assert.ok(reasons.includes(reason), `${reason} is not among ${reasons.join('; ')}`)
  })
}

contract('5.no-value', 'strings and numbers that nobody else would write', async () => {
  const text = 'CANARY-c0ffee'
  const number = 7391.25
  const fields = [
    'age',
    'sex',
    'stayDays',
    'sodium',
    'barthel_feeding',
    'barthel_total',
    'mna_total',
    'mna_date',
  ]
  const records = fields.flatMap((field, at) => [
    patient(2 * at, { [field]: text }),
    patient(2 * at + 1, { [field]: number, mna_bmi: 2 }),
  ])
  const answer = await served.post([...records, { idx: text }, { idx: number }, text, number])
  assert.equal(answer.status, 200)
  assert.ok(!answer.text.includes(text))
  assert.ok(!answer.text.includes('7391'))
})

contract('5.no-value', 'a name that goes on for ever is cut', async () => {
  const [result] = (
    await served.post([patient(1, { [`barthel_${'x'.repeat(50_000)}`]: 1 })])
  ).json() as Result[]
  const [item] = result?.error_message ?? []
  assert.equal(item?.Field, `barthel_${'x'.repeat(120)}…`)
})

contract('5.reasons', 'not computable: the model gave no finite number', () => {
  const fields = {
    a: { type: 'integer', from: 0, to: 9, meaning: 'a' },
    b: { type: 'integer', from: 0, to: 9, meaning: 'b' },
  } as const
  const scorer = scorerOf({
    fields,
    model: model({ a: {}, b: {} }, [
      linear('a', 1e308),
      linear('a', 1e308),
      linear('b', -1e308),
      linear('b', -1e308),
    ]),
  })
  assert.deepEqual(
    results(scorer, [
      { idx: 4, a: 9, b: 9 },
      { idx: 5, a: 0, b: 0 },
    ]),
    [
      { idx: 4, risk: null, error_message: [valueError('risk', 'Risk', 4, 'not computable')] },
      { idx: 5, risk: 0.5, error_message: null },
    ],
  )
})
