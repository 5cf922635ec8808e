/**
 * Prints expressions. What a node means is said in `expression/`; here is only how SQL spells it. None is NULL. A condition may be
 * NULL where it is false, and becomes FALSE before it is negated.
 */
import { compileNumber } from '../expression/evaluate.ts'
import type { ConditionNode, NumberNode, NumberOfKind, Node } from '../expression/node.ts'
import { contains, countUses, readsOf } from '../expression/walk.ts'
import type { FieldPlan } from '../plan/plan.ts'
import { NotInSql } from './not-in-sql.ts'
import { FALSE, type Part, type Sql, TRUE, and, cases, join, not, or, sql, when } from './fragment.ts'
import { printForest } from './print-forest.ts'
import { printSteps } from './print-steps.ts'
import type { Query } from './query.ts'
import { type Slot, type SlotList, isInStates } from './slot.ts'

/** Longer tables make the query too large. */
const LONGEST_TABLE = 100_000
/** Shorter tables are printed as a CASE. */
const SHORT_TABLE = 64
/** A shorter expression is printed wherever it is used. */
export const SHORT_TEXT = 100

interface Printed {
  readonly sql: Sql
  /** Whether it may be NULL where it is false. */
  readonly isNullable: boolean
}

/** Prints expressions over the slots of one step: a slot that is assigned later needs another printer. */
export class Printer {
  private readonly query: Query
  private readonly slots: SlotList
  private readonly uses = new Map<Node, number>()
  private readonly numbers = new Map<NumberNode, Sql>()
  private readonly conditions = new Map<ConditionNode, Printed>()

  /** What several of the roots use becomes a column. */
  constructor(query: Query, slots: SlotList, roots: readonly Node[] = []) {
    this.query = query
    this.slots = slots
    countUses(roots, this.uses)
  }

  /** A number; NULL for none. */
  number(node: NumberNode): Sql {
    const known = this.numbers.get(node)
    if (known !== undefined) return known
    const text = this.tabulated(node) ?? this.numberText(node)
    const printed = this.isShared(node, text) ? this.query.define('e', text) : text
    this.numbers.set(node, printed)
    return printed
  }

  /** A condition for a place in which NULL counts as false. */
  condition(node: ConditionNode): Sql {
    return this.printed(node).sql
  }

  private printed(node: ConditionNode): Printed {
    const known = this.conditions.get(node)
    if (known !== undefined) return known
    const { sql: text, isNullable } = this.conditionText(node)
    const printed = { sql: this.isShared(node, text) ? this.query.define('q', text) : text, isNullable }
    this.conditions.set(node, printed)
    return printed
  }

  /** Whether several expressions use a node that is long enough for a column: engines limit how many a table has. */
  private isShared(node: Node, { text }: Sql): boolean {
    return text.length > SHORT_TEXT && (this.uses.get(node) ?? 0) > 1
  }

  private numberText(node: NumberNode): Sql {
    const { double, dialect } = this.query
    switch (node.kind) {
      case 'number':
        return sql`${double(node.value)}`
      case 'none':
        return NONE
      case 'value':
        return this.slot(node.slot).value
      case 'today':
        return this.query.todayNumber
      case 'add':
        return this.arithmetic(node.of, ' + ')
      case 'multiply':
        return this.arithmetic(node.of, ' * ')
      case 'subtract':
        return this.arithmetic([node.left, node.right], ' - ')
      case 'divide':
        return this.quotient(node)
      case 'sqrt':
        return this.of(node.of, (of) => sql`sqrt(${when(sql`${of} >= 0`, of)})`, true)
      case 'log': {
        const { logarithm } = dialect
        if (logarithm === undefined) throw this.noLogarithm(node)
        return this.of(node.of, (of) => logarithm(when(sql`${of} > 0`, of)), true)
      }
      case 'floor':
        return this.of(node.of, (of) => sql`floor(${of})`)
      case 'round': {
        const units = double(10 ** node.decimals)
        return this.of(node.of, (of) => sql`(floor(${of} * ${units} + ${double(0.5)}) / ${units})`)
      }
      case 'min':
        return this.extreme(node.of, '<=')
      case 'max':
        return this.extreme(node.of, '>=')
      case 'choose':
        return this.choice(node)
      case 'lookup':
        return this.of(node.of, (of) => this.lookup(of, node.from, node.table), true)
      case 'forest':
        return printForest(this.query, node.forest, (slot) => this.slot(slot).value)
      case 'steps':
        return this.of(node.of, (of) => printSteps(this.query, node.curve, of), true)
    }
  }

  private conditionText(node: ConditionNode): Printed {
    switch (node.kind) {
      case 'compare':
        return this.comparison(node)
      case 'stateIn':
        return { sql: isInStates(this.slot(node.slot), node.states), isNullable: false }
      case 'and':
        return this.connected(node.of, and)
      case 'or':
        return this.connected(node.of, or)
      case 'not': {
        const { sql: of, isNullable } = this.printed(node.of)
        const isConstant = of.text === TRUE.text || of.text === FALSE.text
        const strict = isNullable && !isConstant ? sql`coalesce(${of}, FALSE)` : of
        return { sql: not(strict), isNullable: false }
      }
    }
  }

  private slot(place: number): Slot {
    return this.slots[place] as Slot
  }

  /** None without its operand; `twice` where the text uses it more than once. */
  private of(node: NumberNode, print: (of: Sql) => Sql, twice = false): Sql {
    const of = twice ? this.named(node) : this.number(node)
    return isNone(of) ? NONE : print(of)
  }

  /** An expression as a column, so that it is computed once. A number is as short as a column. */
  private named(node: NumberNode): Sql {
    const of = this.number(node)
    return node.kind === 'number' ? of : this.query.define('e', of)
  }

  private arithmetic(nodes: readonly NumberNode[], operator: string): Sql {
    const of = nodes.map((node) => this.number(node))
    return of.some(isNone) ? NONE : sql`(${join(of, operator)})`
  }

  private quotient({ left, right }: NumberOfKind<'divide'>): Sql {
    const dividend = this.number(left)
    const divisor = this.number(right)
    if (isNone(dividend) || isNone(divisor)) return NONE
    const isSafe = right.kind === 'number' && right.value !== 0
    return isSafe ? sql`(${dividend} / ${divisor})` : sql`(${dividend} / nullif(${divisor}, 0))`
  }

  /** No `least` and no `greatest`: they leave NULL out in some engines. */
  private extreme(nodes: readonly NumberNode[], operator: '<=' | '>='): Sql {
    const of = nodes.map((node) => this.named(node))
    if (of.some(isNone)) return NONE
    const rest = operator === '<=' ? '>' : '<'
    const [first, ...others] = of as [Sql, ...Sql[]]
    return others.reduce((one, other) => {
      const chosen = cases([
        [sql`${one} ${operator} ${other}`, one],
        [sql`${one} ${rest} ${other}`, other],
      ])
      return this.query.define('e', chosen)
    }, first)
  }

  private choice({ branches, otherwise }: NumberOfKind<'choose'>): Sql {
    const printed: (readonly [Sql, Sql])[] = []
    let last: Sql | undefined
    for (const branch of branches) {
      const condition = this.condition(branch.when)
      if (condition.text === FALSE.text) continue
      const then = this.number(branch.then)
      if (condition.text === TRUE.text) {
        last = then
        break
      }
      printed.push([condition, then])
    }
    const rest = last ?? this.number(otherwise)
    if (isNone(rest) && printed.every(([, then]) => isNone(then))) return NONE
    return cases(printed, rest)
  }

  private lookup(of: Sql, from: number, table: readonly number[]): Sql {
    const { double, dialect } = this.query
    if (table.length <= SHORT_TABLE) {
      const known = table.flatMap((number, place): (readonly [Part, Part])[] =>
        Number.isNaN(number) ? [] : [[place + from, double(number)]],
      )
      return known.length === 0 ? NONE : cases(known, undefined, dialect.caseKey(of))
    }
    const isInside = sql`${of} BETWEEN ${double(from)} AND ${double(from + table.length - 1)}`
    const place = sql`CAST(${of} AS ${dialect.integerType}) + ${1 - from}`
    const found = dialect.elementAt(this.query.list(table), place)
    const hasNone = table.some(Number.isNaN)
    const some = hasNone ? dialect.nullIfNaN(found) : found
    return when(and(isInside, dialect.isWhole(of)), some)
  }

  private comparison(node: Extract<ConditionNode, { kind: 'compare' }>): Printed {
    const { operator, left, right } = node
    const one = this.number(left)
    const other = this.number(right)
    if (isNone(one) || isNone(other)) return { sql: FALSE, isNullable: false }
    if (left === right) {
      const isNever = operator === '<' || operator === '>'
      return { sql: isNever ? FALSE : sql`${one} IS NOT NULL`, isNullable: false }
    }
    const isWholeTest = operator === '=' && left.kind === 'floor' && left.of === right
    const text = isWholeTest ? this.query.dialect.isWhole(other) : sql`${one} ${operator} ${other}`
    return { sql: text, isNullable: true }
  }

  private connected(nodes: readonly ConditionNode[], connect: (...parts: readonly Sql[]) => Sql): Printed {
    const parts = nodes.map((node) => this.printed(node))
    return {
      sql: connect(...parts.map((part) => part.sql)),
      isNullable: parts.some(({ isNullable }) => isNullable),
    }
  }

  /** What holds a logarithm and follows from one slot is computed here, for every value that the slot may hold. */
  private tabulated(node: NumberNode): Sql | undefined {
    if (!contains(node, 'log')) return undefined
    const { values, isOfValues } = readsOf(node)
    const [slot] = values
    if (!isOfValues || values.size !== 1 || slot === undefined) return undefined
    const { domain } = this.query.plan.fields[slot] as FieldPlan
    const compute = compileNumber(node)
    const record = new Float64Array(slot + 1)
    const numberAt = (value: number): number => {
      record[slot] = value
      return compute(record, NO_STATES, Number.NaN)
    }
    const { double, dialect } = this.query
    const of = this.slot(slot).value
    // An expression may have a number although its slot holds none: a branch of a choice that does not read it.
    const whenNone = numberAt(Number.NaN)
    const rest = Number.isNaN(whenNone) ? NONE : sql`${double(whenNone)}`
    if (isNone(of)) return rest
    let some: Sql
    if (domain.kind === 'list') {
      const known = domain.values.filter((value) => !Number.isNaN(numberAt(value)))
      const rows = known.map((value) => [value, double(numberAt(value))] as const)
      some = rows.length === 0 ? NONE : cases(rows, undefined, dialect.caseKey(of))
    } else {
      if (domain.kind !== 'integer' || domain.to - domain.from >= LONGEST_TABLE) return undefined
      const { from, to } = domain
      const table = Array.from({ length: to - from + 1 }, (_, place) => numberAt(from + place))
      some = this.lookup(of, from, table)
    }
    return isNone(rest) ? some : cases([[sql`${of} IS NULL`, rest]], some)
  }

  private noLogarithm(node: NumberNode): NotInSql {
    const [slot = -1] = readsOf(node).values
    const { name } = this.query.plan.fields[slot] as FieldPlan
    return new NotInSql(
      `The model takes the logarithm of ${name}, which is not a short range of whole numbers. Database engines differ in the last digit of a logarithm, so its risks cannot be printed as exact SQL.`,
    )
  }
}

const NONE = sql`NULL`

function isNone({ text }: Sql): boolean {
  return text === NONE.text
}

const NO_STATES = new Uint8Array(0)
