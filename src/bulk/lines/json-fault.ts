/** Where a text stops being JSON. The parser's own message says it for some faults only, and quotes the text. */

const SPACE = /[ \t\r\n]*/y
/** A whole token, and as much of a broken one as is well. */
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORD = /true|false|null/y
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y

/** The offset of the first character that cannot stand where it does; −1 for a text that is one JSON value. */
export function jsonFault(text: string): number {
  /** The brackets that are open, and what may come next. */
  const open: string[] = []
  let expects: 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'comma or end' | 'nothing' =
    'value'
  const behindValue = (): typeof expects => (open.length === 0 ? 'nothing' : 'comma or end')
  let at = 0
  for (;;) {
    at += lengthOf(SPACE, text, at)
    const char = text[at]
    if (char === undefined) return expects === 'nothing' ? -1 : at
    const mayEnd = expects.endsWith('or end')
    if (mayEnd && (char === ']' || char === '}')) {
      if (open.pop() !== char) return at
      at++
      expects = behindValue()
    } else if (expects === 'colon' || expects === 'comma or end') {
      if (char !== (expects === 'colon' ? ':' : ',')) return at
      at++
      expects = expects === 'comma or end' && open.at(-1) === '}' ? 'name' : 'value'
    } else if (expects === 'nothing') return at
    else if (char === '"') {
      at += lengthOf(STRING, text, at)
      if (text[at] !== '"') return at
      at++
      expects = expects.startsWith('name') ? 'colon' : behindValue()
    } else if (expects.startsWith('name')) return at
    else if (char === '{' || char === '[') {
      open.push(char === '{' ? '}' : ']')
      at++
      expects = char === '{' ? 'name or end' : 'value or end'
    } else {
      const length = lengthOf(NUMBER, text, at) || lengthOf(WORD, text, at)
      if (length === 0) return at
      at += length
      expects = behindValue()
    }
  }
}

function lengthOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0].length ?? 0
}
