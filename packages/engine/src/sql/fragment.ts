/** Pieces of SQL. Conditions that are always true or always false are left out. */

/** A piece of SQL, and the first step of the query that can compute it. */
export interface Sql {
  readonly text: string
  readonly level: number
  /** Of a CASE: the part between CASE and END. */
  readonly branches?: Sql
}

/** A list is printed with spaces between its elements. */
export type Part = Sql | string | number | readonly Part[]
type Branch = readonly [Part, Part]

/** SQL from a template. Texts go in as they are: quoting is the dialect's task. */
export function sql(texts: TemplateStringsArray, ...parts: readonly Part[]): Sql {
  return { text: String.raw({ raw: texts }, ...parts.map(textOf)), level: levelOf(parts) }
}

export const TRUE = sql`TRUE`
export const FALSE = sql`FALSE`

export function join(parts: readonly Part[], separator: string, fallback = ''): Sql {
  return { text: parts.length === 0 ? fallback : parts.map(textOf).join(separator), level: levelOf(parts) }
}

export function and(...parts: readonly Sql[]): Sql {
  return connect(' AND ', parts, TRUE, FALSE)
}

export function or(...parts: readonly Sql[]): Sql {
  return connect(' OR ', parts, FALSE, TRUE)
}

/** The parts in parentheses, without those that change nothing; or the one that decides alone. */
function connect(word: string, parts: readonly Sql[], neutral: Sql, decisive: Sql): Sql {
  const left = parts.filter(({ text }) => text !== neutral.text)
  if (left.some(({ text }) => text === decisive.text)) return decisive
  return left.length > 1 ? sql`(${join(left, word)})` : (left[0] ?? neutral)
}

export function not(part: Sql): Sql {
  if (part.text === TRUE.text) return FALSE
  return part.text === FALSE.text ? TRUE : sql`NOT ${part}`
}

/** A CASE with one condition. Another one in the place of `otherwise` adds its conditions to it. */
export function when(condition: Sql, then: Part, otherwise: Part = 'NULL'): Sql {
  const last = typeof otherwise === 'object' && 'text' in otherwise ? otherwise : sql`${otherwise}`
  if (condition.text === FALSE.text) return last
  const branches = sql`WHEN ${condition} THEN ${then} ${last.branches ?? sql`ELSE ${last}`}`
  return { ...sql`CASE ${branches} END`, branches }
}

/**
 * A CASE from pairs of condition and value. With `of`, the conditions are values that it is compared with. One that is NULL in any
 * case is NULL: PostgreSQL takes a CASE of nothing else for a text.
 */
export function cases(branches: readonly Branch[], otherwise: Part = 'NULL', of: Part = ''): Sql {
  const last = textOf(otherwise)
  if (branches.every(([, then]) => last === 'NULL' && textOf(then) === 'NULL')) return sql`${otherwise}`
  if (branches.length === 0) return sql`${otherwise}`
  const pairs = branches.map(([condition, then]) => sql`WHEN ${condition} THEN ${then}`)
  return sql`${of === '' ? 'CASE' : sql`CASE ${of}`} ${pairs} ELSE ${otherwise} END`
}

function textOf(part: Part): string {
  if (typeof part !== 'object') return String(part)
  return 'text' in part ? part.text : part.map(textOf).join(' ')
}

function levelOf(part: Part): number {
  if (typeof part !== 'object') return 0
  return 'text' in part ? part.level : Math.max(0, ...part.map(levelOf))
}
