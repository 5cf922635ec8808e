/**
 * A query as a chain of steps, each of which adds columns to the one before. A value that is used twice is a column of an
 * earlier step, so the text grows with the definition and not with its depth.
 */
import type { Dialect } from './dialect.ts'
import type { Plan } from '../plan/plan.ts'
import { type Sql, and, sql } from './fragment.ts'

/** Names beyond 63 bytes are cut by PostgreSQL. */
const NAME_LENGTH = 60
const CONSTANT = /^(\d+|TRUE|FALSE|NULL)$/

export class Query {
  readonly dialect: Dialect
  readonly plan: Plan
  /** The current day as a date in SQL. */
  readonly today: string
  /** The same as YYYYMMDD, of type double. */
  readonly todayNumber: Sql
  readonly double: Dialect['double']
  private readonly steps: string[][] = []
  private readonly joins = new Map<number, string>()
  private readonly lists: string[] = []
  private count = 0

  constructor(dialect: Dialect, plan: Plan, today: string) {
    this.dialect = dialect
    this.plan = plan
    this.today = today
    const year = `EXTRACT(YEAR FROM ${today})`
    const month = `EXTRACT(MONTH FROM ${today})`
    const day = `EXTRACT(DAY FROM ${today})`
    this.todayNumber = sql`CAST(${year} * 10000 + ${month} * 100 + ${day} AS ${dialect.doubleType})`
    this.double = dialect.double
  }

  /** Makes a column of an expression. The prefix says what it holds, the number makes it unique, the label is for people. */
  readonly define = (prefix: string, expression: Sql, label = ''): Sql => {
    const { text, level } = expression
    const isColumn = level > 0 && /^\w+$/.test(text)
    if (isColumn || CONSTANT.test(text)) return expression
    const name = `${prefix}${this.count++}${label === '' ? '' : `_${label}`}`.slice(0, NAME_LENGTH)
    for (let step = this.steps.length; step <= level; step++) this.steps.push([])
    this.steps[level]?.push(`${text} AS ${name}`)
    return { text: name, level: level + 1 }
  }

  readonly placeOf = (field: string): number => this.plan.slotByName.get(field) as number

  /** A long list of constants: as it is, under a name, or as a column that every row has by a join with one row. */
  list(values: readonly number[], type?: 'integer'): Sql {
    const constants = this.dialect.list(values, type)
    if (this.dialect.lists === 'inline') return sql`${constants}`
    const name = `model_list_${this.lists.length}`
    this.lists.push(`${constants} AS ${name}`)
    return this.dialect.lists === 'named' ? sql`${name}` : this.define('list', sql`model_lists.${name}`)
  }

  /** A list that several expressions use: where lists stand in their place, it is a column. */
  sharedList(values: readonly number[]): Sql {
    const list = this.list(values)
    return this.dialect.lists === 'inline' ? this.define('steps', list) : list
  }

  /** Whether another row has the same value in a column; NULL equals no other value. */
  isRepeated(column: Sql): Sql {
    const { level, text } = column
    const repeated = `SELECT ${text} AS repeated FROM step${level - 1} WHERE ${text} IS NOT NULL GROUP BY ${text} HAVING count(*) > 1`
    if (this.dialect.repeats === 'in')
      return this.define('r', sql`coalesce(${column} IN (${repeated}), FALSE)`)
    this.joins.set(level, ` LEFT JOIN (${repeated}) AS repeats ON ${text} = repeated`)
    return this.define('r', and(sql`${column} IS NOT NULL`, sql`repeated IS NOT NULL`))
  }

  /** The steps as common table expressions, and the name of the last one. */
  print(from: string): { readonly text: string; readonly last: string } {
    const { stepOpen, stepClose } = this.dialect
    const isJoined = this.dialect.lists === 'joined' && this.lists.length > 0
    const lists = isJoined ? `, (SELECT ${this.lists.join(', ')}) AS model_lists` : ''
    const texts = this.steps.map((columns, level) => {
      const all = level === 0 ? columns : ['*', ...columns]
      const source = level === 0 ? `${from}${lists}` : `step${level - 1}${this.joins.get(level) ?? ''}`
      return `step${level} AS ${stepOpen}(\n  SELECT\n    ${all.join(',\n    ')}\n  FROM ${source}${stepClose}\n)`
    })
    const named = this.dialect.lists === 'named' ? this.lists : []
    return { text: `WITH ${[...named, ...texts].join(',\n')}`, last: `step${this.steps.length - 1}` }
  }
}
