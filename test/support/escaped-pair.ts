/** Texts that make V8 misread a name, for the tests of every place where a text comes in (decision 40). */
import assert from 'node:assert/strict'

export interface Pair {
  /** Makes V8 remember a name with a backslash. */
  readonly first: string
  /** The text with its name written by an escape: V8 takes the remembered name instead. */
  readonly second: string
  /** The same text without the escape. */
  readonly plain: string
}

/**
 * The pair for a name of a text. V8 remembers a name only where a single one has followed those before it, so the text needs a
 * member before that name that no other test has, or an order that nothing else has.
 */
export function pairOf(plain: string, name: string): Pair {
  const member = `${JSON.stringify(name)}:`
  assert.ok(plain.includes(member), `the text has no name ${name}`)
  const code = name.charCodeAt(0).toString(16).padStart(4, '0')
  const escaped = `\\u${code}${name.slice(1)}`
  // As long as the name, and the beginning of its escaped spelling.
  const remembered = JSON.stringify(escaped.slice(0, name.length))
  return {
    first: plain.replaceAll(member, `${remembered}:`),
    second: plain.replaceAll(member, `"${escaped}":`),
    plain,
  }
}

/** Reads the texts in turn. The second has the result of the plain one, which is read last: it would undo what V8 remembers. */
export async function holdPair(pair: Pair, read: (text: string) => unknown, expected: RegExp): Promise<void> {
  try {
    await read(pair.first)
  } catch {
    // Some places refuse the name that it has.
  }
  const second = await read(pair.second)
  const plain = await read(pair.plain)
  assert.match(JSON.stringify(plain), expected)
  assert.deepEqual(second, plain)
}
