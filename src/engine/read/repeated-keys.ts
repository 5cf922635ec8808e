/** Finds the keys that a record writes twice. The slow path: only entered when a count says that one was lost. */

const RECORD_DEPTH = 2

/** For each record that repeats a key: its position, and the names. The text is known to be well-formed JSON. */
export function findRepeatedKeys(text: string): ReadonlyMap<number, ReadonlySet<string>> {
  const found = new Map<number, Set<string>>()
  let depth = 0
  let position = -1
  let seen = new Set<string>()
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"') {
      const end = endOfString(text, at)
      if (depth === RECORD_DEPTH && isKey(text, end)) {
        const name = JSON.parse(text.slice(at, end + 1)) as string
        if (seen.has(name)) note(found, position, name)
        seen.add(name)
      }
      at = end
    } else if (char === '{' || char === '[') {
      depth++
      if (depth === RECORD_DEPTH) {
        position++
        seen = new Set()
      }
    } else if (char === '}' || char === ']') depth--
    else if (depth === 1 && endsScalar(text, at)) position++
  }
  return found
}

function note(found: Map<number, Set<string>>, position: number, name: string): void {
  const names = found.get(position)
  if (names === undefined) found.set(position, new Set([name]))
  else names.add(name)
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}

function isKey(text: string, endOfName: number): boolean {
  let at = endOfName + 1
  while (/\s/.test(text[at] ?? '')) at++
  return text[at] === ':'
}

/** An element of the outer array that is no record still takes a position. It is counted at its comma. */
function endsScalar(text: string, at: number): boolean {
  if (text[at] !== ',') return false
  let before = at - 1
  while (/\s/.test(text[before] ?? '')) before--
  return !'}]'.includes(text[before] ?? '')
}
