/** Where a text stops being JSON. The parser's own message gives the place for some faults only, and quotes the text. */

const WORDING = {
  value: 'a value was expected',
  'value or end': 'a value or "]" was expected',
  name: 'a field name in double quotes was expected',
  'name or end': 'a field name in double quotes or "}" was expected',
  colon: 'a colon was expected',
  'comma or end': 'a comma or the closing bracket was expected',
  'end of string': 'a valid character or the end of a string was expected',
  nothing: 'the end of the body was expected',
} as const
type Expected = keyof typeof WORDING
const NOT_A_NUMBER = /[+-]?(?:NaN|nan|Infinity)/y
const encoder = new TextEncoder()

/** Says where a text stops being JSON and what was expected there, without quoting it; undefined for a text that is JSON. */
export function describeJsonFault(text: string): string | undefined {
  const fault = findJsonFault(text)
  if (fault === undefined) return undefined
  const before = text.slice(0, fault.at)
  const line = before.split('\n').length
  const column = fault.at - before.lastIndexOf('\n')
  const place = `byte ${encoder.encode(before).length} (line ${line}, column ${column})`
  const where = fault.at === text.length ? `The body ends at ${place}, where` : `At ${place}`
  const hint =
    lengthOf(NOT_A_NUMBER, text, fault.at) > 0
      ? ' NaN and Infinity are not JSON: send null for a missing value.'
      : ''
  return `The body is not well-formed JSON. ${where} ${WORDING[fault.expected]}.${hint}`
}

const SPACE = /[ \t\r\n]*/y
/** A whole token, and as much of a broken one as is well. */
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORD = /true|false|null/y
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y

/** The offset of the first character that cannot stand where it does, and what could; undefined for a text that is one JSON value. */
export function findJsonFault(text: string): { at: number; expected: Expected } | undefined {
  /** The brackets that are open, and what may come next. */
  const open: string[] = []
  let expects: Expected = 'value'
  const afterValue = (): Expected => (open.length === 0 ? 'nothing' : 'comma or end')
  let at = 0
  for (;;) {
    at += lengthOf(SPACE, text, at)
    const char = text[at]
    if (char === undefined && expects === 'nothing') return undefined
    const mayEnd = expects.endsWith('or end')
    if (mayEnd && (char === ']' || char === '}')) {
      if (open.pop() !== char) break
      at++
      expects = afterValue()
    } else if (expects === 'colon' || expects === 'comma or end') {
      if (char !== (expects === 'colon' ? ':' : ',')) break
      at++
      expects = expects === 'comma or end' && open.at(-1) === '}' ? 'name' : 'value'
    } else if (expects === 'nothing') break
    else if (char === '"') {
      at += lengthOf(STRING, text, at)
      if (text[at] !== '"') return { at, expected: 'end of string' }
      at++
      expects = expects.startsWith('name') ? 'colon' : afterValue()
    } else if (expects.startsWith('name')) break
    else if (char === '{' || char === '[') {
      open.push(char === '{' ? '}' : ']')
      at++
      expects = char === '{' ? 'name or end' : 'value or end'
    } else {
      const length = lengthOf(NUMBER, text, at) || lengthOf(WORD, text, at)
      if (length === 0) break
      at += length
      expects = afterValue()
    }
  }
  return { at, expected: expects }
}

function lengthOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0].length ?? 0
}
