/** Contract, section 3: records. */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { type Served, serve } from '../../../../test/support/serve.ts'
import { type Clause, contract } from '../../../../test/support/clauses.ts'
import {
  type ErrorItem,
  PATIENT,
  type Result,
  missing,
  patient,
  refused,
  scored,
  sumReason,
  valueError,
} from '../../../../test/support/contract-records.ts'

let served: Served
before(async () => {
  served = await serve()
})
after(() => served.close())

const BASE = JSON.stringify(PATIENT).slice(1, -1)
const record = (record: string, position: number): Result =>
  refused(null, valueError('record', 'Record', position, record))
const idx = (idx: number | null, number: number, reason: string): Result =>
  refused(idx, valueError('idx', 'Idx', number, reason))

/** A body as it is sent, and the whole answer to it. */
type Row = readonly [clause: Clause, title: string, body: string, answer: readonly Result[]]

const NOT_OBJECTS: readonly Row[] = ['1', '"x"', 'null', 'true', '[]', '[{"idx":1}]', '-0.5e9'].map(
  (element) => [
    '3.not-an-object',
    element,
    `[{"idx":5,${BASE}},${element},{"idx":6,${BASE}}]`,
    [scored(5), record('not an object', 1), scored(6)],
  ],
)

const NOT_INTEGERS: readonly Row[] = [
  '"1"',
  '1.5',
  'true',
  'false',
  '[]',
  '[1]',
  '{}',
  '""',
  '1e400',
  '-1e400',
  '9007199254740992',
  '9007199254740993',
  '-9007199254740992',
  '1e21',
].map((value) => [
  '3.idx-not-integer',
  value,
  `[{"idx":1,${BASE}},{"idx":${value},${BASE}}]`,
  [scored(1), idx(null, 1, 'not an integer')],
])

const USABLE: readonly Row[] = (
  [
    ['0', 0],
    ['-0', 0],
    ['-7', -7],
    ['1.0', 1],
    ['1e2', 100],
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
  ] as const
).map(([text, number]) => [
  '3.idx-not-integer',
  `${text} is one`,
  `[{"idx":${text},${BASE}}]`,
  [scored(number)],
])

const DUPLICATES: readonly Row[] = [
  [
    '3.duplicate',
    'every one of them, and no other',
    `[{"idx":1,${BASE}},{"idx":2,${BASE}},{"idx":1,${BASE}},{"idx":3,${BASE}},{"idx":1.0,${BASE}}]`,
    [idx(1, 1, 'duplicate'), scored(2), idx(1, 1, 'duplicate'), scored(3), idx(1, 1, 'duplicate')],
  ],
  [
    '3.duplicate',
    '0 and -0 are the same',
    `[{"idx":0,${BASE}},{"idx":-0,${BASE}}]`,
    [idx(0, 0, 'duplicate'), idx(0, 0, 'duplicate')],
  ],
  [
    '3.duplicate',
    'beside the other problems of the record',
    `[{"idx":4,${BASE}},{"idx":4}]`,
    [
      idx(4, 4, 'duplicate'),
      refused(
        4,
        valueError('idx', 'Idx', 4, 'duplicate'),
        ...['age', 'sex', 'inpatientAdmissions', 'emergencyAdmissions', 'stayDays'].map(missing),
      ),
    ],
  ],
  [
    '3.duplicate',
    'a record that writes its idx twice may be any of the two, so no other record has a number under them',
    `[{"idx":7,${BASE},"idx":1},{"idx":1,${BASE}},{"idx":2,${BASE}},{"idx":7.0,${BASE}}]`,
    [idx(null, 0, 'given twice'), idx(1, 1, 'duplicate'), scored(2), idx(7, 7, 'duplicate')],
  ],
  [
    '3.duplicate',
    'the same where the record with two idx comes last, with an escape in one of the keys',
    `[{"idx":1,${BASE}},{"idx":2,${BASE}},{"\\u0069dx":1,"a":{"idx":2},${BASE},"idx":"x"}]`,
    [idx(1, 1, 'duplicate'), scored(2), idx(null, 2, 'given twice')],
  ],
  [
    '3.duplicate',
    'the same in every form of a whole number',
    `[{"idx":123,${BASE},"idx":4.500e+1},{"idx":45,${BASE}},{"idx":4,${BASE}},{"idx":12,${BASE}},{"idx":123,${BASE}}]`,
    [
      idx(null, 0, 'given twice'),
      idx(45, 45, 'duplicate'),
      scored(4),
      scored(12),
      idx(123, 123, 'duplicate'),
    ],
  ],
  [
    '3.duplicate',
    'the same with an exponent that has no sign',
    `[{"idx":10e10,${BASE},"idx":-30},{"idx":100000000000,${BASE}},{"idx":10,${BASE}}]`,
    [idx(null, 0, 'given twice'), idx(100_000_000_000, 100_000_000_000, 'duplicate'), scored(10)],
  ],
  [
    '3.duplicate',
    'records without a usable idx are no duplicates',
    `[{"idx":"a",${BASE}},{"idx":"a",${BASE}}]`,
    [idx(null, 0, 'not an integer'), idx(null, 1, 'not an integer')],
  ],
]

const TWICE: readonly Row[] = [
  [
    '3.key-twice',
    'a base field, with the same value',
    `[{"idx":1,${BASE},"age":84}]`,
    [refused(1, valueError('age', 'Age', 1, 'given twice'))],
  ],
  [
    '3.key-twice',
    'once written with an escape',
    `[{"idx":1,${BASE},"\\u0061ge":84},{"idx":2,${BASE}}]`,
    [refused(1, valueError('age', 'Age', 1, 'given twice')), scored(2)],
  ],
  [
    '3.key-twice',
    'null is a value too',
    `[{"idx":1,${BASE},"age":null}]`,
    [refused(1, valueError('age', 'Age', 1, 'given twice'))],
  ],
  [
    '3.key-twice',
    'three times is reported once',
    `[{"idx":1,${BASE},"age":1,"age":2}]`,
    [refused(1, valueError('age', 'Age', 1, 'given twice'))],
  ],
  [
    '3.key-twice',
    'idx itself: neither can be trusted, and no other record is answered under one of them',
    `[{"idx":5,${BASE}},{"idx":5,"idx":6,${BASE}},{"idx":6,${BASE}}]`,
    [idx(5, 5, 'duplicate'), idx(null, 1, 'given twice'), idx(6, 6, 'duplicate')],
  ],
  [
    '3.key-twice',
    'a name that nobody knows',
    `[{"idx":1,${BASE},"ward":"a","ward":"b"}]`,
    [refused(1, valueError('ward', 'Ward', 1, 'given twice'))],
  ],
  [
    '3.key-twice',
    'a scale’s item, whose total is not compared then',
    `[{"idx":1,${BASE},"barthel_feeding":5,"barthel_feeding":10,"barthel_total":5,"barthel_date":"01-02-2026"}]`,
    [refused(1, valueError('barthel_feeding', 'Feeding', 1, 'given twice', '01-02-2026'))],
  ],
  [
    '3.key-twice',
    'after elements of every kind, at its own place',
    `[1,"a:}{",[{"age":1,"age":2}],{},{"idx":4,${BASE},"x":{"y":[1,{"z":2}]}},{"idx":5,${BASE},"sex":"F"}]`,
    [
      record('not an object', 0),
      record('not an object', 1),
      record('not an object', 2),
      refused(
        null,
        ...['idx', 'age', 'sex', 'inpatientAdmissions', 'emergencyAdmissions', 'stayDays'].map(missing),
      ),
      scored(4),
      refused(5, valueError('sex', 'Sex', 5, 'given twice')),
    ],
  ],
  [
    '3.key-twice',
    'together with a duplicate idx',
    `[{"idx":3,${BASE},"age":84},{"idx":3,${BASE}}]`,
    [
      refused(3, valueError('idx', 'Idx', 3, 'duplicate'), valueError('age', 'Age', 3, 'given twice')),
      idx(3, 3, 'duplicate'),
    ],
  ],
]

const NULLS: readonly Row[] = [
  ['3.idx-missing', 'missing', `[{${BASE}}]`, [refused(null, missing('idx'))]],
  ['3.idx-missing', 'null', `[{"idx":null,${BASE}}]`, [refused(null, missing('idx'))]],
  [
    '3.null',
    'a required field',
    `[{"idx":1,${BASE.replace('"age":84', '"age":null')}}]`,
    [refused(1, missing('age'))],
  ],
  [
    '3.null',
    'a field that is not used, an item and a date',
    `[{"idx":1,${BASE},"barthel_total":null,"barthel_feeding":null,"barthel_date":null,"sodium":null}]`,
    [scored(1)],
  ],
]

const INTEGERS: readonly Row[] = ['84.0', '8.4e1', '840e-1', '84.00e0'].map((text) => [
  '3.integer',
  `${text} is 84`,
  `[{"idx":1,${BASE.replace('"age":84', `"age":${text}`)}}]`,
  [scored(1)],
])

const NUMBERS: readonly Row[] = [
  [
    '3.n',
    'the idx where it is usable, the position where it is not',
    `[{"idx":70,${BASE},"sodium":1},{${BASE},"sodium":1},{"idx":"x",${BASE},"sodium":1}]`,
    [
      scored(70, valueError('sodium', 'Sodium', 70, 'out of range')),
      refused(null, missing('idx'), valueError('sodium', 'Sodium', 1, 'out of range')),
      refused(
        null,
        valueError('idx', 'Idx', 2, 'not an integer'),
        valueError('sodium', 'Sodium', 2, 'out of range'),
      ),
    ],
  ],
]

const ORDER: readonly Row[] = [
  [
    '3.all',
    'idx, base fields, scales (items, total, date), unknown names; whatever the order in the record',
    `[{"mna_zzz":1,"mna_total":1,"mna_foodIntake":2,"mna_date":"01-01-2026","AGE":3,"barthel_date":"31-02-2026","barthel_total":7,` +
      `"barthel_bathing":9,"barthel_feeding":9,"sodium":"x","stayDays":1.5,"sex":"f","idx":1.5}]`,
    [
      refused(
        null,
        valueError('idx', 'Idx', 0, 'not an integer'),
        missing('age'),
        valueError('sex', 'Sex', 0, 'not a permitted value'),
        missing('inpatientAdmissions'),
        missing('emergencyAdmissions'),
        valueError('stayDays', 'StayDays', 0, 'not an integer'),
        valueError('sodium', 'Sodium', 0, 'not a number'),
        valueError('barthel_feeding', 'Feeding', 0, 'out of range'),
        valueError('barthel_bathing', 'Bathing', 0, 'out of range'),
        valueError('barthel_total', 'Total', 0, 'out of range'),
        valueError('barthel_date', 'Date', 0, 'not a valid date'),
        valueError('mna_total', 'Total', 0, sumReason(2), '01-01-2026'),
        valueError('AGE', 'AGE', 0, 'unknown field'),
        valueError('mna_zzz', 'Zzz', 0, 'unknown field', '01-01-2026'),
      ),
    ],
  ],
]

const ROWS = [
  ...NOT_OBJECTS,
  ...NOT_INTEGERS,
  ...USABLE,
  ...DUPLICATES,
  ...TWICE,
  ...NULLS,
  ...INTEGERS,
  ...NUMBERS,
  ...ORDER,
]
for (const [clause, title, body, answer] of ROWS) {
  contract(clause, title, async () => {
    assert.equal((await served.post(body)).text, JSON.stringify(answer))
  })
}

const TYPES = [
  ['age', 'Age', ['75', true, false, [], '', {}, [75]], 'not an integer'],
  ['stayDays', 'StayDays', ['7', true, [], ''], 'not an integer'],
  ['sex', 'Sex', [1, true, [], '', {}, 'f', 'female', ' F', 'F ', '\u0046\u0301'], 'not a permitted value'],
] as const
for (const [field, item, values, reason] of TYPES) {
  for (const value of values) {
    contract('3.type', `${field} ${JSON.stringify(value)}`, async () => {
      const answer = await served.post([patient(1, { [field]: value })])
      assert.equal(answer.text, JSON.stringify([refused(1, valueError(field, item, 1, reason))]))
    })
  }
}

const tooMany = (idx: number): Result => refused(idx, valueError('record', 'Record', idx, 'too many fields'))
const withKeys = (idx: unknown, count: number): object => {
  const own = patient(idx)
  const filler = Array.from({ length: count - Object.keys(own).length }, (_, i): [string, number] => [
    `k${i}`,
    i,
  ])
  return { ...own, ...Object.fromEntries(filler) }
}
contract('3.too-many-keys', '1,024 are answered, 1,025 refuse that record alone', async () => {
  const answer = await served.post([withKeys(1, 1024), withKeys(2, 1025), patient(3)])
  assert.equal(answer.text, JSON.stringify([scored(1), tooMany(2), scored(3)]))
})
contract('3.too-many-keys', 'beside the problems of its idx', async () => {
  const answer = await served.post([withKeys(2, 1025), patient(2), withKeys(null, 1025), withKeys('x', 1025)])
  const record = (number: number): ErrorItem => valueError('record', 'Record', number, 'too many fields')
  assert.equal(
    answer.text,
    JSON.stringify([
      refused(2, record(2), valueError('idx', 'Idx', 2, 'duplicate')),
      idx(2, 2, 'duplicate'),
      refused(null, record(2), missing('idx')),
      refused(null, record(3), valueError('idx', 'Idx', 3, 'not an integer')),
    ]),
  )
})
