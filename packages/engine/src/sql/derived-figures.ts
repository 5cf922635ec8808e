/** What follows from a reading, from age or sex, or from the boxes of a rating; exactly as in the engine. */
import { codesIn } from '../definition/domain.ts'
import { BMI_SCALE, PERCENT_SCALE, inThousandths } from '../definition/exact-fractions.ts'
import { recordField } from '../definition/scale-domains.ts'
import type { DerivedDefinition, RatioDefinition } from '../definition/scale.ts'
import { LEVELS, cdrGlobal } from '../plan/cdr-global.ts'
import { type Part, type Sql, and, cases, join, sql, when } from './fragment.ts'
import type { Query } from './query.ts'
import { type Figure, type Slot, type Tools, inUnits, isUsable, rounded } from './slot.ts'

type Of<Kind extends DerivedDefinition['kind']> = Extract<DerivedDefinition, { kind: Kind }>
type Ends = Partial<Record<'from' | 'above' | 'to' | 'below', number>>
type Fraction = Readonly<Record<'dividend' | 'divisor', Sql>>

/** Points by band. They are open where no band holds. */
export function bandedFigure(tools: Tools, { of, bands }: Of<'banded'>): Figure {
  const reading = readingOf(tools, of)
  const branches = bands.map(({ when: wanted = {}, points, ...ends }) => {
    const conditions = Object.entries(wanted).map(([part, value]) => {
      const slot = partOf(tools, part)
      return and(isUsable(slot), sql`${slot.value} = ${numberOf(tools, part, value)}`)
    })
    return [and(...conditions, ...compare(tools.query, reading, ends)), tools.query.double(points)] as const
  })
  return openFigure(tools, partOf(tools, of), cases(branches))
}

/** The number or code of a code. It is open for a code that has none. */
export function byCodeFigure(tools: Tools, name: string, { of, values }: Of<'byCode'>): Figure {
  const slot = partOf(tools, of)
  const branches = [...codesIn(tools.query.plan.fields[placeOf(tools, of)]?.domain)].flatMap(
    ([code, number]) => {
      const value = values[code]
      return value === undefined ? [] : [[number, numberOf(tools, name, value)] as const]
    },
  )
  return openFigure(tools, slot, cases(branches, 'NULL', slot.value))
}

/** The reading itself from its two parts, rounded. */
export function ratioValue({ query }: Tools, definition: RatioDefinition, first: Sql, second: Sql): Sql {
  const { dividend, divisor } = ratioOf(query, definition, first, second)
  return rounded(query, sql`${dividend} / (${divisor}) / ${query.double(1_000)}`, definition.decimals)
}

/** The engine's own answer for every memory and every number of boxes at each level, looked up in a list. */
export function cdrGlobalValue({ query }: Tools, memory: Sql, others: readonly Sql[]): Sql {
  const { double, dialect } = query
  const most = others.length + 1
  const weights = LEVELS.map((level, at) => [double(level), at === 0 ? 0 : most ** (at - 1)] as const)
  const places = most ** (LEVELS.length - 1)
  const answers = LEVELS.flatMap((level) =>
    Array.from({ length: places }, (_, place) => {
      const boxes = LEVELS.slice(1).flatMap((each, at) =>
        Array<number>(Math.floor(place / most ** at) % most).fill(each),
      )
      return cdrGlobal(level, [...boxes, 0, 0, 0, 0, 0].slice(0, others.length))
    }),
  )
  const rank = cases(
    LEVELS.map((level, at) => [double(level), at * places] as const),
    'NULL',
    memory,
  )
  const place = join([rank, ...others.map((box) => cases(weights, 'NULL', box))], ' + ')
  return dialect.elementAt(query.list(answers), sql`${place} + 1`)
}

function placeOf({ query, id }: Tools, part: string): number {
  return query.placeOf(recordField(part) ?? `${id}_${part}`)
}

function partOf(tools: Tools, part: string): Slot {
  return tools.slots[placeOf(tools, part)] as Slot
}

/** A number, or the number that stands for a code of this part. */
function numberOf({ query, id }: Tools, part: string, value: number | string): Part {
  if (typeof value === 'number') return query.double(value)
  return codesIn(query.field(`${id}_${part}`).domain).get(value) ?? 'NULL'
}

/** A figure that its parts may leave open, which NULL says. */
function openFigure({ query }: Tools, slot: Slot, value: Sql): Figure {
  const figure = query.define('p', when(isUsable(slot), value, `CAST(NULL AS ${query.dialect.doubleType})`))
  return { value: figure, isComplete: sql`${figure} IS NOT NULL` }
}

/** A reading in thousandths: exactly from its parts where they are there, else as it is given. */
function readingOf(tools: Tools, name: string): Fraction {
  const { query, computed = {} } = tools
  const { double, define } = query
  const definition = computed[name]
  // Wrong values stay out of the arithmetic: an overflow ends the query in some engines.
  const own = partOf(tools, name)
  const given = when(isUsable(own), inUnits(query, own.value))
  if (definition?.kind !== 'bodyMassIndex' && definition?.kind !== 'percentLost')
    return { dividend: define('n', given), divisor: sql`${double(1)}` }
  const [first, second] = definition.of.map((part) => partOf(tools, part)) as [Slot, Slot]
  const isExact = and(isUsable(first), isUsable(second))
  const { dividend, divisor } = ratioOf(query, definition, first.value, second.value)
  return {
    dividend: define('n', when(isExact, dividend, given)),
    divisor: define('n', when(isExact, divisor, double(1))),
  }
}

/** As `ratioOf` of the engine: whole numbers below 2^53, which a double holds exactly. */
function ratioOf(query: Query, { kind }: RatioDefinition, first: Sql, second: Sql): Fraction {
  const { double } = query
  const [one, other] = [first, second].map((value) => inUnits(query, value)) as [Sql, Sql]
  if (kind === 'bodyMassIndex')
    return { dividend: sql`${one} * ${double(BMI_SCALE)}`, divisor: sql`${other} * ${other}` }
  return { dividend: sql`greatest(${double(0)}, ${one} - ${other}) * ${double(PERCENT_SCALE)}`, divisor: one }
}

function compare({ double }: Query, { dividend, divisor }: Fraction, ends: Ends): readonly Sql[] {
  const operators = { from: '>=', above: '>', to: '<=', below: '<' } as const
  return Object.entries(ends).map(([end, edge]) => {
    const operator = operators[end as keyof Ends]
    return sql`${dividend} ${operator} ${double(inThousandths(edge))} * ${divisor}`
  })
}
