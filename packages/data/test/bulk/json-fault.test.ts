/** Where a text stops being JSON: the parser takes what is well, and nothing before the place can be the fault. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/fast-check.ts'
import { findJsonFault } from 'patient-risk-engine/read'
import { utf8Fault } from '../../src/bulk/lines/score-chunk.ts'

const jsonFault = (text: string): number => findJsonFault(text)?.at ?? -1

const FAULTS = [
  ['{"age": x}', 8],
  ['{"age": tru}', 8],
  ['{"age" 84}', 7],
  ['{"age": 84,}', 11],
  ['{"age": 084}', 9],
  ['{"age": 84 "sex":"F"}', 11],
  ['{"age": "F\u0001"}', 10],
  ['{"age": "\\x"}', 9],
  ['[1,2', 4],
  ['{"a":[1}', 7],
  ['1 2', 2],
  ['', 0],
  ['{a:1}', 1],
  ['{1:2}', 1],
  ['{"a":1,2}', 7],
  ['{[]}', 1],
  ['{"a":{true}}', 6],
  ['[1e5,1E5,1e-5,1e+5,0.5e5]', -1],
  ['[1e]', 2],
  ['["\\u00e9"]', -1],
  ['["\\u00e"]', 2],
  ['["\\u00eg"]', 2],
  [' {"a":[{},[],-0.5e+3,null,"é\\u00e9"]} ', -1],
] as const
for (const [text, place] of FAULTS) {
  test(`${JSON.stringify(text)} is broken at ${place}`, () => assert.equal(jsonFault(text), place))
}

const piece = fc.constantFrom(
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '"a"',
  '1',
  '-',
  '0.5',
  'true',
  'nul',
  ' ',
  '\\',
)
/** A backslash, its letter and four digits. */
const LONGEST_TOKEN = 6
test('a fault is found where the parser finds one, and only there', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('')
      assert.equal(jsonFault(text) < 0, parses(text), JSON.stringify(text))
    }),
    { numRuns: 5_000 },
  )
})

test('a character that is put into JSON breaks it there, or at the word or escape that it breaks', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (json, where) => {
      const at = where % (json.length + 1)
      const fault = jsonFault(`${json.slice(0, at)}\u0001${json.slice(at)}`)
      assert.ok(fault <= at && at - fault <= LONGEST_TOKEN, `${JSON.stringify(json)}, ${at}: ${fault}`)
    }),
  )
})

const BYTES: readonly (readonly [string, readonly number[], number])[] = [
  ['plain text', [0x61, 0x62], -1],
  ['a character of two bytes', [0xc3, 0xa9], -1],
  ['the mark that stands for a fault', [0xef, 0xbf, 0xbd], -1],
  ['a byte that begins nothing', [0x61, 0xff, 0x61], 1],
  ['a byte that only follows', [0x61, 0x80], 1],
  ['a continuation byte after a whole character', [0xc3, 0xa9, 0xa9], 2],
  ['half a character', [0x61, 0xc3], 1],
  ['half a character that begins as the mark does', [0x61, 0xef, 0xbf, 0x61], 1],
  ['half a pair of surrogates', [0x61, 0xed, 0xa0, 0x80], 1],
]
for (const [what, bytes, place] of BYTES) {
  test(`${what}: UTF-8 ends at ${place}`, () => assert.equal(utf8Fault(Uint8Array.from(bytes)), place))
}

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
