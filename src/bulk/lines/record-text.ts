/** The keys of a record, in its own text: renamed or taken out without parsing, so that no value changes on the way. */
import { jsonIn } from '../../engine/read/body.ts'

export interface KeyedText {
  /** The record with its keys renamed. */
  readonly text: string
  /** The JSON text of each kept key; undefined where the record has none, and throughout where it is no JSON. */
  readonly kept: readonly (string | undefined)[]
}

/** What is no object, or no JSON, comes back as it is: the engine refuses it. */
export function keyText(
  record: string,
  rename: ReadonlyMap<string, string>,
  keep: readonly string[],
): KeyedText {
  const kept = new Array<string | undefined>(keep.length)
  if (keep.length > 0 && jsonIn(record) === undefined) return keyText(record, rename, [])
  const start = record.indexOf('{')
  if (start < 0 || record.slice(0, start).trim() !== '') return { text: record, kept }
  let text = ''
  let copied = 0
  let at = start + 1
  for (;;) {
    at = skipSpace(record, at)
    if (record[at] !== '"') break
    const nameEnd = endOfString(record, at)
    const name = jsonIn(record.slice(at, nameEnd)) as string | undefined
    const colon = skipSpace(record, nameEnd)
    if (name === undefined || record[colon] !== ':') break
    const valueStart = skipSpace(record, colon + 1)
    const valueEnd = endOfValue(record, valueStart)
    const place = keep.indexOf(name)
    if (place >= 0) kept[place] = record.slice(valueStart, valueEnd).trim()
    const newName = rename.get(name)
    if (newName !== undefined) {
      text += record.slice(copied, at) + JSON.stringify(newName)
      copied = nameEnd
    }
    if (record[valueEnd] !== ',') break
    at = valueEnd + 1
  }
  return { text: text + record.slice(copied), kept }
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (text[at] === ' ' || text[at] === '\t' || text[at] === '\r') at++
  return at
}

/** Behind the closing quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

/** At the comma or bracket that follows the value. */
function endOfValue(text: string, start: number): number {
  let depth = 0
  let at = start
  while (at < text.length) {
    const char = text[at] as string
    if (char === '"') {
      at = endOfString(text, at)
      continue
    }
    if (depth === 0 && (char === ',' || char === '}')) return at
    if (char === '{' || char === '[') depth++
    else if (char === '}' || char === ']') depth--
    at++
  }
  return at
}
