/** JSON by the grammar of RFC 8259, character by character: a second opinion on `parseJson` that has nothing in common with it. */

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}
const WORDS: readonly (readonly [string, unknown])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
]

/** The value of a text. Throws for one that is not JSON. Deep texts are not its subject. */
export function parsePlainly(text: string): unknown {
  let at = 0
  const refuse = (): never => {
    throw new SyntaxError(`not JSON at ${at}`)
  }
  const skip = (): void => {
    while (at < text.length && ' \t\r\n'.includes(text.charAt(at))) at++
  }
  const take = (sign: string): boolean => {
    skip()
    if (text[at] !== sign) return false
    at++
    return true
  }
  const string = (): string => {
    if (!take('"')) refuse()
    let found = ''
    for (;;) {
      const char = text[at] ?? refuse()
      at++
      if (char === '"') return found
      if (char < ' ') refuse()
      if (char !== '\\') {
        found += char
        continue
      }
      const kind = text[at] ?? refuse()
      at++
      if (kind === 'u') {
        const digits = text.slice(at, at + 4)
        if (!/^[0-9a-fA-F]{4}$/.test(digits)) refuse()
        found += String.fromCharCode(parseInt(digits, 16))
        at += 4
      } else found += ESCAPES[kind] ?? refuse()
    }
  }
  const list = (): unknown[] => {
    const found: unknown[] = []
    if (take(']')) return found
    do found.push(value())
    while (take(','))
    return take(']') ? found : refuse()
  }
  const object = (): object => {
    const found = new Map<string, unknown>()
    if (take('}')) return {}
    do {
      const name = string()
      if (!take(':')) refuse()
      found.set(name, value())
    } while (take(','))
    // As own properties, whatever the name is.
    return take('}') ? Object.fromEntries(found) : refuse()
  }
  const value = (): unknown => {
    skip()
    if (text[at] === '"') return string()
    if (take('[')) return list()
    if (take('{')) return object()
    const [number] = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/.exec(text.slice(at, at + 400)) ?? []
    const word = WORDS.find(([spelled]) => text.startsWith(spelled, at))
    if (number === undefined && word === undefined) return refuse()
    at += (number ?? word?.[0] ?? '').length
    return number === undefined ? word?.[1] : Number(number)
  }
  const found = value()
  skip()
  return at === text.length ? found : refuse()
}
