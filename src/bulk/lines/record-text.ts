/** The keys of a record, in its own text: renamed or taken out without parsing, so that no value changes on the way. */
import { jsonIn } from '../../engine/read/body.ts'

export interface KeyedText {
  /** The record with its keys renamed. */
  readonly text: string
  /** The JSON text of each kept key; undefined where the record has none, and throughout where it is no JSON. */
  readonly kept: readonly (string | undefined)[]
}

/** What is no object, or no JSON, comes back as it is, or broken as before: the engine refuses it. */
export function keyText(
  record: string,
  rename: ReadonlyMap<string, string>,
  keep: readonly string[],
): KeyedText {
  const kept = new Array<string | undefined>(keep.length)
  if (keep.length > 0 && jsonIn(record) === undefined) return keyText(record, rename, [])
  if (!/^[ \t\r]*\{/.test(record)) return { text: record, kept }
  let text = ''
  let copied = 0
  let depth = 0
  let name: unknown
  /** Where the value of the present key starts; 0 where a key is expected. */
  let valueStart = 0
  for (let at = 0; at < record.length; at++) {
    const char = record[at]
    const isOwn = depth === 1
    if (char === '"') {
      const end = endOfString(record, at)
      if (isOwn && valueStart === 0) {
        name = jsonIn(record.slice(at, end))
        const newName = rename.get(String(name))
        if (newName !== undefined) {
          text += record.slice(copied, at) + JSON.stringify(newName)
          copied = end
        }
      }
      at = end - 1
    } else if (isOwn && char === ':') valueStart = at + 1
    else if (isOwn && (char === ',' || char === '}')) {
      const place = keep.indexOf(String(name))
      if (place >= 0) kept[place] = record.slice(valueStart, at).trim()
      valueStart = 0
    }
    if (char === '{' || char === '[') depth++
    else if (char === '}' || char === ']') depth--
  }
  return { text: text + record.slice(copied), kept }
}

/** After the closing quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}
