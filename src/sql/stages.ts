/**
 * A query as a chain of steps, each of which adds columns to the one before. A value that is used twice is a column of an
 * earlier step, so the text grows with the definition and not with its depth.
 */

/** A piece of SQL, and the first step that can compute it. */
export interface Sql {
  readonly text: string
  readonly level: number
}

/** A list is printed with spaces between its elements. */
export type Part = Sql | string | number | readonly Part[]

/** SQL from a template. Texts go in as they are: quoting is the dialect's task. */
export function sql(texts: TemplateStringsArray, ...parts: readonly Part[]): Sql {
  return { text: String.raw({ raw: texts }, ...parts.map(textOf)), level: levelOf(parts) }
}

/** Pieces with a separator between them; the fallback if the list is empty. */
export function join(parts: readonly Part[], separator: string, fallback = ''): Sql {
  return { text: parts.length === 0 ? fallback : parts.map(textOf).join(separator), level: levelOf(parts) }
}

/** A disjunction in parentheses; undefined when it can never be true. */
export function anyOf(parts: readonly Sql[]): Sql | undefined {
  return parts.length === 0 ? undefined : sql`(${join(parts, ' OR ')})`
}

/** A conjunction; true when nothing is asked. */
export function allOf(parts: readonly Sql[]): Sql {
  return join(parts, ' AND ', 'TRUE')
}

/** A CASE from pairs of condition and value. With `of`, the conditions are values that it is compared with. */
export function cases(branches: readonly (readonly [Part, Part])[], otherwise?: Part, of?: Part): Sql {
  const pairs = branches.map(([when, then]) => sql`WHEN ${when} THEN ${then}`)
  const last = otherwise === undefined ? [] : [sql`ELSE ${otherwise}`]
  return sql`CASE ${[...(of === undefined ? [] : [of]), ...pairs, ...last]} END`
}

function textOf(part: Part): string {
  if (typeof part !== 'object') return String(part)
  return 'text' in part ? part.text : part.map(textOf).join(' ')
}

function levelOf(part: Part): number {
  if (typeof part !== 'object') return 0
  return 'text' in part ? part.level : Math.max(0, ...part.map(levelOf))
}

/** Names beyond 63 bytes are cut by PostgreSQL. */
const NAME_LENGTH = 60

export class Stages {
  private readonly steps: string[][] = []
  private readonly joins = new Map<number, string>()
  private readonly lists: string[] = []
  private readonly joinsLists: boolean
  private count = 0

  constructor(joinsLists: boolean) {
    this.joinsLists = joinsLists
  }

  /** Makes a column of an expression. The prefix says what it holds, the number makes it unique, the label is for people. */
  define(prefix: string, expression: Sql, label = ''): Sql {
    const name = `${prefix}${this.count++}${label === '' ? '' : `_${label}`}`.slice(0, NAME_LENGTH)
    for (let level = this.steps.length; level <= expression.level; level++) this.steps.push([])
    this.steps[expression.level]?.push(`${expression.text} AS ${name}`)
    return { text: name, level: expression.level + 1 }
  }

  /** A long list of constants: as it is, or as a column that every row has by a join with one row. */
  list(constants: string): Sql {
    if (!this.joinsLists) return sql`${constants}`
    const name = `model_list_${this.lists.length}`
    this.lists.push(`${constants} AS ${name}`)
    return this.define('list', sql`model_lists.${name}`)
  }

  /** Whether another row has the same value in a column; NULL is like no other. */
  isRepeated(column: Sql, how: 'in' | 'join'): Sql {
    const { level, text } = column
    const repeated = `SELECT ${text} AS repeated FROM step${level - 1} WHERE ${text} IS NOT NULL GROUP BY ${text} HAVING count(*) > 1`
    if (how === 'in') return this.define('r', sql`coalesce(${column} IN (${repeated}), FALSE)`)
    this.joins.set(level, ` LEFT JOIN (${repeated}) AS repeats ON ${text} = repeated`)
    return this.define('r', sql`${column} IS NOT NULL AND repeated IS NOT NULL`)
  }

  /** The steps as common table expressions, and the name of the last one. `open` and `close` go around each of them. */
  print(from: string, open: string, close: string): { readonly text: string; readonly last: string } {
    const lists = this.lists.length === 0 ? '' : `, (SELECT ${this.lists.join(', ')}) AS model_lists`
    const texts = this.steps.map((columns, level) => {
      const all = level === 0 ? columns : ['*', ...columns]
      const source = level === 0 ? `${from}${lists}` : `step${level - 1}${this.joins.get(level) ?? ''}`
      return `step${level} AS ${open}(\n  SELECT\n    ${all.join(',\n    ')}\n  FROM ${source}${close}\n)`
    })
    return { text: `WITH ${texts.join(',\n')}`, last: `step${this.steps.length - 1}` }
  }
}
