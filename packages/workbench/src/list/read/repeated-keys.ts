/** Finds names that a record of JSON gives twice. A parser silently keeps the last of them, which may be the wrong one. */
import { parseJson } from 'patient-risk-engine/read'

/** A string, with the colon that makes it a name; or a bracket, a brace or a comma. */
const TOKEN = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\],]/g

/** The names by the place of their record. `depth` is 2 for records in an array, 1 for a record alone. */
export function repeatedKeys(text: string, depth: 1 | 2): ReadonlyMap<number, ReadonlySet<string>> {
  const found = new Map<number, Set<string>>()
  let seen = new Set<string>()
  let level = 0
  let place = 0
  for (const [token, colon] of text.matchAll(TOKEN)) {
    if (colon !== undefined) {
      if (level !== depth) continue
      const name = parseJson(token.slice(0, token.length - colon.length)) as string
      if (seen.has(name)) found.set(place, (found.get(place) ?? new Set()).add(name))
      seen.add(name)
    } else if (token === '{' || token === '[') {
      level++
      if (level === depth) seen = new Set()
    } else if (token === '}' || token === ']') level--
    else if (token === ',' && level === depth - 1) place++
  }
  return found
}
