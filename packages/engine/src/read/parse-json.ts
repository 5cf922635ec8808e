/**
 * The one place that calls `JSON.parse` on a text from outside. V8 has a defect there (`docs/decisions/40-keys-with-a-backslash.md`): a
 * key that is written with an escape can get the name of a key that an earlier text had at the same place. So the value of a text
 * with such a key is put together here; every other text is read by V8 alone.
 */

const TAB = 0x09
const NEWLINE = 0x0a
const RETURN = 0x0d
const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

type Holder = unknown[] | Record<string, unknown>

/** The value of a JSON text, as `JSON.parse` should give it. Throws its SyntaxError, which quotes the text. */
export function parseJson(text: string): unknown {
  // Only names can be wrong: whether a text is JSON is decided by V8 in every case.
  const value: unknown = JSON.parse(text)
  return hasEscapedKey(text) ? buildValue(text) : value
}

/** Whether a key is written with a backslash. Exact for well-formed JSON. A text without a backslash takes one search. */
export function hasEscapedKey(text: string): boolean {
  // Outside strings JSON has no backslash, so each search ends in a string that has not been looked at.
  for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', at)) {
    at = endOfString(text, at)
    while (isSpace(text.charCodeAt(at))) at++
    if (text.charCodeAt(at) === COLON) return true
  }
  return false
}

/**
 * The value of a text that is known to be JSON. Names, strings and numbers are parsed one by one, without a place that V8 could
 * remember. Without recursion, because `JSON.parse` has no limit of depth either.
 */
function buildValue(text: string): unknown {
  const top: unknown[] = []
  const outer: Holder[] = []
  let holder: Holder = top
  /** The name of the next value; undefined in a list, and where an object expects a name. */
  let name: string | undefined
  const put = (value: unknown): void => {
    if (Array.isArray(holder)) holder.push(value)
    else setMember(holder, name as string, value)
    name = undefined
  }
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at)
    if (isSpace(code) || code === COMMA || code === COLON) at++
    else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      const inner: Holder = code === OPEN_OBJECT ? {} : []
      put(inner)
      outer.push(holder)
      holder = inner
      at++
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      holder = outer.pop() ?? top
      at++
    } else {
      const end = code === QUOTE ? endOfString(text, at + 1) : endOfWord(text, at)
      const value: unknown = JSON.parse(text.slice(at, end))
      if (name === undefined && !Array.isArray(holder)) name = value as string
      else put(value)
      at = end
    }
  }
  return top[0]
}

/** By assignment `__proto__` would become the prototype. */
function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
  else object[name] = value
}

/** After the closing quote of the string that `at` lies in. It jumps from quote to quote: long texts with few escapes cost little. */
function endOfString(text: string, at: number): number {
  let quote = text.indexOf('"', at)
  while (quote >= 0 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1)
  return quote < 0 ? text.length : quote + 1
}

/** Whether an odd number of backslashes stands before this place. */
function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text.charCodeAt(first - 1) === BACKSLASH) first--
  return (at - first) % 2 === 1
}

/** After a number, true, false or null. */
function endOfWord(text: string, at: number): number {
  let end = at
  while (end < text.length && !isEnd(text.charCodeAt(end))) end++
  return end
}

function isEnd(code: number): boolean {
  return isSpace(code) || code === COMMA || code === CLOSE_LIST || code === CLOSE_OBJECT
}

function isSpace(code: number): boolean {
  return code === SPACE || code === NEWLINE || code === RETURN || code === TAB
}
