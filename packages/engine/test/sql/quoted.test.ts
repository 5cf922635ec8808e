/** Names and texts in a statement: what would end them is written so that it does not, however often it stands there. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DIALECTS } from '../../src/sql/dialect.ts'

type Written = readonly (readonly [given: string, written: string])[]

const DOUBLED = {
  names: [
    ['a', '"a"'],
    ['"a"b"', '"""a""b"""'],
    ['a`b', '"a`b"'],
  ],
  texts: [["'a'b'", "'''a''b'''"]],
} as const

/** By dialect, names of columns and texts as a statement has them. */
const ROWS: Readonly<Record<string, { readonly names: Written; readonly texts: Written }>> = {
  duckdb: DOUBLED,
  postgres: DOUBLED,
  spark: {
    names: [
      ['a', '`a`'],
      ['`a`b`', '```a``b```'],
      ['a"b', '`a"b`'],
    ],
    texts: [
      ["'a'b'", String.raw`'\'a\'b\''`],
      [String.raw`\a\b`, String.raw`'\\a\\b'`],
    ],
  },
  clickhouse: {
    names: [
      ['a', '`a`'],
      ['`a`b`', '`\\`a\\`b\\``'],
      [String.raw`\a\b`, '`\\\\a\\\\b`'],
    ],
    texts: [
      ["'a'b'", String.raw`'\'a\'b\''`],
      [String.raw`\a\b`, String.raw`'\\a\\b'`],
    ],
  },
}

for (const dialect of DIALECTS) {
  test(`${dialect.name}: names and texts with quotes and backslashes`, () => {
    const { names, texts } = ROWS[dialect.name] ?? assert.fail('the dialect has no rows')
    for (const [name, written] of names) assert.equal(dialect.identifier(name), written)
    for (const [text, written] of texts) assert.equal(dialect.string(text), written)
  })
}
