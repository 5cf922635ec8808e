/** The limits of a body, the budget of its work, and the buffers that an answer grows in. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TreeDefinition } from 'patient-risk-engine/definition'
import { EngineError, type EngineErrorCode } from '../src/read/engine-error.ts'
import { GrowingBuffer, GrowingText } from '../src/answer/growing-buffer.ts'
import { describeJsonFault } from '../src/read/json-fault.ts'
import { SeenIdx } from '../src/answer/seen-idx.ts'
import { type Scorer, type ScorerOptions } from '../src/scorer.ts'
import { TODAY, linear, model, scale, scorerOf } from '../../../test/support/small-definitions.ts'

const READERS = ['bytes', 'reference'] as const
const fields = { a: { type: 'integer', from: 0, to: 9, meaning: 'a' } } as const

function small(options: Partial<ScorerOptions>): Scorer {
  return scorerOf({ fields, model: model({ a: {} }, [linear('a', 1)]), options })
}

const nested = (depth: number): string => `[{"idx":1,"x":${'['.repeat(depth - 2)}${']'.repeat(depth - 2)}}]`
const records = (count: number): string =>
  `[${Array.from({ length: count }, (_each, idx) => `{"idx":${idx},"a":1}`).join(',')}]`

/** A body, and the code that it is refused with under three records and a depth of four; undefined where it is answered. */
const BODIES: readonly (readonly [string, string | Uint8Array, EngineErrorCode | undefined])[] = [
  ['three records', records(3), undefined],
  ['four records', records(4), 'TOO_MANY_RECORDS'],
  ['a depth of four', nested(4), undefined],
  ['a depth of five', nested(5), 'BODY_TOO_DEEP'],
  ['five levels, and only half a body', '[[[[[', 'BODY_TOO_DEEP'],
  ['five levels and four records', `[1,2,3,${nested(5).slice(1)}`, 'BODY_TOO_DEEP'],
  [
    'five levels that names seem to close, and only half a body',
    `[{${'"}":{'.repeat(3)}"}":1`,
    'BODY_TOO_DEEP',
  ],
  ['brackets in a text', '[{"idx":1,"x":"[[[[[[[[\\"{{{{{"}]', undefined],
  ['an object', '{"idx":1}', 'BODY_NOT_ARRAY'],
  ['null', 'null', 'BODY_NOT_ARRAY'],
  ['half a body', '[{"idx":1}', 'BODY_MALFORMED'],
  ['nothing', '', 'BODY_MALFORMED'],
  ['a byte order mark', '\uFEFF[]', undefined],
  ['two byte order marks', '\uFEFF\uFEFF[]', 'BODY_MALFORMED'],
  ['a byte order mark in front of the end', '[\uFEFF]', 'BODY_MALFORMED'],
  ['another coding of characters', Uint8Array.of(0x5b, 0x22, 0xff, 0x22, 0x5d), 'BODY_NOT_UTF8'],
]
for (const reader of READERS) {
  const scorer = small({ reader, maxRecords: 3, maxDepth: 4 })
  for (const [what, body, code] of BODIES) {
    test(`${what} by the ${reader} reader: ${code ?? 'answered'}`, () => {
      const bytes = typeof body === 'string' ? Buffer.from(body) : body
      for (const call of ['score', 'validate', 'explain'] as const) {
        if (code === undefined) scorer[call](bytes, TODAY)
        else {
          assert.throws(
            () => scorer[call](bytes, TODAY),
            (error) => error instanceof EngineError && error.code === code,
          )
        }
      }
    })
  }
  test(`the ${reader} reader says how many records there are and may be`, () => {
    assert.throws(() => scorer.score(Buffer.from(records(5)), TODAY), {
      message: 'TOO_MANY_RECORDS: The body holds 5 records; the limit is 3. Send them in several requests.',
    })
  })
}

/** A body, and how many levels it has. Brackets in strings must not hide any. */
const LEVELS: readonly (readonly [string, number])[] = [
  ['[]', 1],
  ['[{"idx":1,"a":1}]', 2],
  ['[{"idx":1,"a":1,"x":"]}]}"}]', 2],
  ['[{"idx":1,"a":1,"}":{}}]', 3],
  ['[{"idx":1,"a":1,"x":[]}]', 3],
  ['[{"}":{"}":{}}},{"a:":":"}]', 4],
  ['[[[[]]]]', 4],
]
for (const [body, levels] of LEVELS) {
  test(`${body} is answered from a depth of ${levels} on`, () => {
    const record = body.slice(1, -1)
    for (let maxDepth = 1; maxDepth <= 5; maxDepth++) {
      const { lines, validate } = small({ reader: 'reference', maxDepth })
      const answer = (): unknown => validate(Buffer.from(body), TODAY)
      if (levels > maxDepth) assert.throws(answer, /BODY_TOO_DEEP/)
      else answer()
      const { malformedAt } = lines.validate(Buffer.from(record), TODAY, { first: 0, duplicates: new Set() })
      if (!record.includes('},{')) assert.equal(malformedAt, levels > maxDepth ? 0 : undefined)
    }
  })
}

test('a body that is too deep is not parsed', (context) => {
  const parse = context.mock.method(JSON, 'parse')
  const { lines, validate } = small({ reader: 'reference' })
  assert.throws(() => validate(Buffer.from('['.repeat(1_000)), TODAY), /BODY_TOO_DEEP/)
  const line = Buffer.from(`${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}`)
  lines.validate(line, TODAY, { first: 0, duplicates: new Set() })
  assert.equal(parse.mock.callCount(), 0)
})

test('a budget is asked before a body is parsed as a whole, and after every 64 records that are judged', () => {
  const asked: string[] = []
  const budget = {
    beforeParse: (bytes: number) => void asked.push(`parse ${bytes}`),
    step: (bytes: number) => void asked.push(`step ${bytes > 1_000}`),
    work: (steps: number) => void asked.push(`work ${steps}`),
  }
  const bad = `[${Array.from({ length: 200 }, (_each, idx) => `{"idx":${idx},"a":99}`).join(',')}]`
  small({ reader: 'reference' }).score(Buffer.from(bad), TODAY, budget)
  assert.deepEqual(asked, [`parse ${bad.length}`, 'step true', 'step true', 'step true'])
  asked.length = 0
  small({ reader: 'bytes' }).score(Buffer.from(bad), TODAY, budget)
  const inTheReader = ['step false', 'step false', 'step false']
  assert.deepEqual(asked, [...inTheReader, 'step true', 'step true', 'step true'])
  asked.length = 0
  small({ reader: 'bytes' }).score(Buffer.from(records(200)), TODAY, budget)
  assert.deepEqual(asked, [], 'clean records cost too little to be asked about')
  small({ reader: 'reference' }).validate(Buffer.from('[]'), TODAY, budget)
  assert.deepEqual(asked, ['parse 2'])
})

/** A budget that allows everything. */
const FREE = { beforeParse: () => undefined, work: () => undefined }

/** A record without values visits 100 nodes of each tree. Two fields, so that there is no table of the points. */
function deepTrees(trees: number, reader: (typeof READERS)[number]): Scorer {
  const tree: TreeDefinition = Array.from({ length: 199 }, (_, at) => {
    if (at % 2 === 1 || at === 198) return at / 1_000
    return {
      field: at % 4 === 0 ? 'a' : 'b',
      below: 500 - at,
      then: at + 1,
      else: at + 2,
      absent: 'else' as const,
    }
  })
  const absent = { whenAbsent: null }
  const number = { type: 'integer', from: 0, to: 999, meaning: 'a number' } as const
  return scorerOf({
    fields: { a: number, b: number },
    model: model({ a: absent, b: absent }, [
      { kind: 'trees', combine: 'sum', trees: Array.from({ length: trees }, () => tree) },
    ]),
    options: { reader },
  })
}

for (const reader of READERS)
  for (const [trees, asks] of [
    [1, 0],
    [200, 40],
  ] as const) {
    test(`40 clean records of ${trees} trees, 100 nodes deep, by the ${reader} reader: the budget is asked ${asks} times, and may stop it`, () => {
      const scorer = deepTrees(trees, reader)
      const body = Buffer.from(`[${Array.from({ length: 40 }, (_each, idx) => `{"idx":${idx}}`).join(',')}]`)
      const whole = scorer.score(body, TODAY)
      assert.equal(whole.tally.scored, 40)
      let asked = 0
      const budget = { ...FREE, step: () => (asked += 1) }
      scorer.score(body, TODAY, budget)
      assert.equal(asked, asks)
      asked = 0
      const lines = Buffer.from(body.toString().slice(1, -1).replaceAll('},', '}\n'))
      scorer.lines.score(lines, TODAY, { first: 0, duplicates: new Set() }, budget)
      assert.equal(asked, asks, 'as lines')
      if (asks === 0) return
      const stop = (): never => {
        throw new Error('too expensive')
      }
      assert.throws(() => scorer.score(body, TODAY, { ...budget, step: stop }), /too expensive/)
      assert.deepEqual(scorer.score(body, TODAY).bytes, whole.bytes, 'the next body is answered as the first')
    })
  }

test('points that would take long to put into a table are computed for each record', () => {
  const field = { type: 'integer', from: 0, to: 4_000, meaning: 'a number' } as const
  const bands = Array.from({ length: 4_001 }, (_, at) => ({ from: at, to: at, points: at / 1_000 }))
  const scorer = scorerOf({
    fields: { a: field },
    model: model({ a: {} }, [{ kind: 'banded', field: 'a', bands }]),
  })
  let asked = 0
  const budget = { ...FREE, step: () => (asked += 1) }
  scorer.score(Buffer.from('[{"idx":1,"a":7},{"idx":2,"a":7},{"idx":3,"a":7}]'), TODAY, budget)
  assert.ok(asked > 0, 'a table was made by the first request')
})

test('a record that carries a scale with many figures counts as these', () => {
  const items = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`item${at}`, [0, 1]]))
  const scorer = scorerOf({
    fields,
    scales: [scale('long', items, { total: { kind: 'sum', to: 1_000 } })],
    model: model({ a: {} }, [linear('a', 1)]),
  })
  let asked = 0
  const budget = { ...FREE, step: () => (asked += 1) }
  const ten = (more: string): Buffer =>
    Buffer.from(`[${Array.from({ length: 10 }, (_each, idx) => `{"idx":${idx},"a":1${more}}`).join(',')}]`)
  scorer.score(ten(''), TODAY, budget)
  assert.equal(asked, 0)
  scorer.score(ten(',"long_item7":1,"long_total":1'), TODAY, budget)
  assert.notEqual(asked, 0)
})

test('a record with as many keys as it may have is answered, one more refuses it', () => {
  for (const reader of READERS) {
    const scorer = small({ reader, maxKeys: 3 })
    const answer = Buffer.from(
      scorer.score(Buffer.from('[{"idx":1,"a":1,"x":1},{"idx":2,"a":1,"x":1,"y":1}]'), TODAY).bytes,
    )
    assert.match(answer.toString(), /^\[\{"idx":1,"risk":0\.7311,.*\{"idx":2,"risk":null,.*too many fields/)
  }
})

test('numbers are kept in their order while a buffer grows, and what is finished stays as it is', () => {
  for (const kind of [Float64Array, Int16Array, Uint8Array]) {
    const buffer = new GrowingBuffer<Float64Array | Int16Array | Uint8Array>(kind)
    const expected: number[] = []
    for (let number = 0; number < 5_000; number++) {
      buffer.add(number % 100)
      expected.push(number % 100)
      if (number % 1_000 === 0) {
        buffer.addAll(kind.from([1, 2, 3]))
        expected.push(1, 2, 3)
      }
    }
    assert.deepEqual([...buffer.view()], expected)
    const finished = buffer.finished()
    buffer.clear()
    assert.equal(buffer.length, 0)
    buffer.add(77)
    assert.deepEqual([...buffer.view()], [77])
    assert.equal(finished[0], 0)
    assert.equal(finished.length, expected.length)
  }
})

test('a buffer gives back much memory, and keeps little', () => {
  const buffer = new GrowingBuffer<Uint8Array>(Uint8Array)
  const size = (): number => buffer.view().buffer.byteLength
  assert.equal(size(), 2_048)
  buffer.addAll(new Uint8Array(2_048))
  assert.equal(size(), 2_048)
  buffer.add(1)
  assert.equal(size(), 4_096)
  buffer.addAll(new Uint8Array(10_000))
  assert.equal(size(), 12_049)
  buffer.clear()
  assert.equal(size(), 12_049)
  buffer.addAll(new Uint8Array(4_194_304))
  buffer.clear()
  assert.equal(size(), 4_194_304)
  buffer.addAll(new Uint8Array(4_194_305))
  buffer.clear()
  assert.equal(size(), 2_048)
})

test('a text of any characters is appended in UTF-8', () => {
  const text = new GrowingText()
  const words = ['a', 'ä', '€', '😀', 'x'.repeat(3_000), '€'.repeat(5_000)]
  for (const word of words) text.addText(word)
  assert.equal(Buffer.from(text.finished()).toString(), words.join(''))
  assert.equal(text.length, Buffer.byteLength(words.join('')))
})

test('numbers of lines that were seen before are found, also those that a record claims', () => {
  const seen = new SeenIdx(100)
  const first = seen.addLines(
    { idxs: Float64Array.of(1, 2, NaN, 1), ambiguousIdxs: new Map([[2, [7, 8]]]) },
    10,
  )
  assert.deepEqual([...first], [13])
  const second = seen.addLines({ idxs: Float64Array.of(8, 3, 7, 2, NaN), ambiguousIdxs: new Map() }, 20)
  assert.deepEqual([...second], [20, 22, 23])
})

/** A text, and what is said of the place where it stops being JSON. */
const FAULTS = [
  ['[1,2', 'The body ends at byte 4 (line 1, column 5), where a comma or the closing bracket was expected.'],
  ['[1,]', 'At byte 3 (line 1, column 4) a value was expected.'],
  ['[', 'The body ends at byte 1 (line 1, column 2), where a value or "]" was expected.'],
  [
    '{',
    'The body ends at byte 1 (line 1, column 2), where a field name in double quotes or "}" was expected.',
  ],
  ['{"a":1,}', 'At byte 7 (line 1, column 8) a field name in double quotes was expected.'],
  ['{"a" 1}', 'At byte 5 (line 1, column 6) a colon was expected.'],
  ['{"a":1]', 'At byte 6 (line 1, column 7) a comma or the closing bracket was expected.'],
  ['["ä\n"]', 'At byte 4 (line 1, column 4) a valid character or the end of a string was expected.'],
  ['[]\n x', 'At byte 4 (line 2, column 2) the end of the body was expected.'],
  [
    '[-NaN]',
    'At byte 1 (line 1, column 2) a value or "]" was expected. NaN and Infinity are not JSON: send null for a missing value.',
  ],
  [
    '[1,NaN]',
    'At byte 3 (line 1, column 4) a value was expected. NaN and Infinity are not JSON: send null for a missing value.',
  ],
  ['[*NaN]', 'At byte 1 (line 1, column 2) a value or "]" was expected.'],
  ['', 'The body ends at byte 0 (line 1, column 1), where a value was expected.'],
  ['{"a":x', 'At byte 5 (line 1, column 6) a value was expected.'],
  ['[tru]', 'At byte 1 (line 1, column 2) a value or "]" was expected.'],
  ['[01]', 'At byte 2 (line 1, column 3) a comma or the closing bracket was expected.'],
  ['["\\x"]', 'At byte 2 (line 1, column 3) a valid character or the end of a string was expected.'],
] as const
for (const [text, fault] of FAULTS) {
  test(`the fault of ${JSON.stringify(text)}`, () => {
    assert.equal(describeJsonFault(text), `The body is not well-formed JSON. ${fault}`)
  })
}

for (const text of ['[]', ' {"a":[1.5e-3,true,null,"\\u00e4"]} ', '"x"', '-0', 'false']) {
  test(`${JSON.stringify(text)} has no fault`, () => assert.equal(describeJsonFault(text), undefined))
}
