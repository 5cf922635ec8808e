/** Names with escapes: the value of a text does not depend on the texts before it, and is that of any other parser. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasEscapedKey, parseJson } from '../../src/read/parse-json.ts'
import { fc } from '../../../../test/support/fast-check.ts'
import { parsePlainly } from './plain-parser.ts'

const RUNS = 8_000

test('a name with an escape keeps its meaning after a text with a backslash at its place', () => {
  parseJson(String.raw`{"x":1,"\\u0":0}`)
  assert.deepEqual(parseJson(String.raw`{"x":1,"\u0061ge":80}`), { x: 1, age: 80 })
})

/** A text · whether a name in it has an escape. */
const TEXTS: readonly (readonly [string, boolean])[] = [
  ['', false],
  ['7', false],
  ['{"a":"b"}', false],
  [String.raw`{"a":"\u0061"}`, false],
  [String.raw`{"a":"\\"}`, false],
  [String.raw`{"a":"\"","b":"\\\""}`, false],
  [String.raw`["\\","\":",{"a":"\":"}]`, false],
  [String.raw`"\":"`, false],
  [String.raw`"\\"`, false],
  [String.raw`"cut off \"`, false],
  [String.raw`{"\u0061":1}`, true],
  [String.raw`{"a\n":1}`, true],
  [String.raw`{"a\\":1}`, true],
  [String.raw`{"\"":1}`, true],
  [String.raw`{"\\\"":1}`, true],
  ['{"\\/" \t\r\n:1}', true],
  [String.raw`{"a":"\n","b":["\\"],"c":{"d":{"\t":1}}}`, true],
]
for (const [text, expected] of TEXTS) {
  test(`${JSON.stringify(text)} has ${expected ? 'a' : 'no'} name with an escape`, () => {
    assert.equal(hasEscapedKey(text), expected)
  })
}

/** Texts with names that a parser may get wrong, each with an escape so that it is not read by V8 alone. */
const VALUES: readonly string[] = [
  String.raw`{"\u005f_proto__":{"admin":true},"a":1}`,
  String.raw`{"\u005f_proto__":1,"__proto__":2}`,
  String.raw`{"\u0063onstructor":1,"toString":2,"hasOwnProperty":3}`,
  String.raw`{"\u0061":1,"a":2,"b":3,"\u0061":4}`,
  String.raw`{"\u0062":1,"2":2,"1":3,"-1":4,"01":5}`,
  String.raw`{"\u0061":-0,"b":1e400,"c":-1e-400,"d":9007199254740993,"e":1.5E+3}`,
  String.raw`{"\u0061":[],"b":{},"c":[[],{}],"d":[null,true,false,""]}`,
  String.raw`{"\ud83d\ude00":"\ud83d","\udc00":1,"":2}`,
  ' \t\r\n{ "\\u0061" : [ 1 , { "b" : "x" } ] , "c" : -1 }\n',
]
for (const text of VALUES) {
  test(`${JSON.stringify(text)} has the value that another parser gives it`, () => {
    const value = parseJson(text)
    assert.deepStrictEqual(value, parsePlainly(text))
    assert.deepStrictEqual(Object.keys(value as object), Object.keys(parsePlainly(text) as object))
    assert.equal(Object.getPrototypeOf(value), Object.prototype)
  })
}

test('a text as deep as the engine reads it needs no stack', () => {
  const levels = 200_000
  let value = parseJson(`${'['.repeat(levels)}{"\\u0061":1}${']'.repeat(levels)}`)
  for (let level = 0; level < levels; level++) value = (value as readonly unknown[])[0]
  assert.deepEqual(value, { a: 1 })
})

/** Few names and places, so that texts meet each other's; each sign is written as itself or by one of its escapes. */
const sign = fc.constantFrom('a', 'b', 'n', 'u', '0', '\\', '"', '/', '\n', 'é', '漢')
const spelling = (char: string): fc.Arbitrary<string> => {
  const code = `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  const short = JSON.stringify(char).slice(1, -1)
  return fc.constantFrom(short, short, char === '/' ? '\\/' : short, code)
}
const literal = fc.array(sign.chain(spelling), { maxLength: 4 }).map((signs) => `"${signs.join('')}"`)
const { json } = fc.letrec<{ json: string; object: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 2, depthIdentifier: 'json' },
    literal,
    fc.constantFrom('0', '-1.5e2', 'true', 'null'),
    tie('object'),
    fc.array(tie('json'), { maxLength: 2 }).map((all) => `[${all.join(', ')}]`),
  ),
  object: fc
    .array(fc.tuple(literal, tie('json')), { maxLength: 3 })
    .map((pairs) => `{${pairs.map(([name, value]) => `${name}: ${value}`).join(',')}}`),
}))
const outcome = (parse: (text: string) => unknown, text: string): unknown => {
  try {
    return { value: parse(text) }
  } catch (error) {
    assert.ok(error instanceof SyntaxError)
    return 'not JSON'
  }
}
const isSame = (text: string): void =>
  assert.deepStrictEqual(outcome(parseJson, text), outcome(parsePlainly, text), text)

test('random pairs of texts are read as another parser reads them', () => {
  // A first name of its own gives each pair a place that no other text has made V8 remember.
  let pairs = 0
  const pair = fc.tuple(literal, literal, json)
  const property = fc.property(pair, ([first, second, value]) => {
    const place = `"place ${pairs++}":0`
    isSame(`{${place},${first}:${value}}`)
    isSame(`{${place},${second}:${value}}`)
  })
  fc.assert(property, { numRuns: RUNS })
})

test('random texts, whole and damaged, are read or refused as another parser does', () => {
  const damage = fc.record({
    at: fc.nat(40),
    cut: fc.nat(2),
    put: fc.constantFrom('', '\\', '"', ':', '\t', '}'),
  })
  const property = fc.property(json, fc.option(damage), (text, harm) => {
    isSame(harm === null ? text : text.slice(0, harm.at) + harm.put + text.slice(harm.at + harm.cut))
  })
  fc.assert(property, { numRuns: RUNS })
})
