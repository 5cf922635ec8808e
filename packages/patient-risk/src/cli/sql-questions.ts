/**
 * The questions of the watch of feeds as SQL: for each a count of rows, of how many, and the share that right tables have at most. They
 * are made from the same tables of usual values as the service's own (`planFeed`). What needs the order of rows is not asked.
 */
import {
  type FeedFieldPlan,
  type FeedPlan,
  LIGHT,
  MISSING_CODES,
  MISSING_TEXTS,
  foreignCodesOf,
} from '@patient-risk/monitor'
import { type Domain, codesIn, rangeOf } from 'patient-risk-engine/definition'
import { type Column, type Columns, type Dialect, sql } from 'patient-risk-engine/sql'

/** A share that is higher than in right tables. */
export interface SqlQuestion {
  readonly field: string
  readonly doubt: string
  readonly found: string
  readonly of: string
  readonly most: number
  /** Its part of the level, compared with other questions. */
  readonly weight: number
  /** What must be true besides. */
  readonly when?: string
  /** Of a question about two fields: what the question about the other one has here, too. */
  readonly pair?: string
}

const WRONG_FORM = 0.05
const WRONG_CODE = 0.04
const YES_NO = ['true', 'false', 'TRUE', 'FALSE', 'True', 'False', '0', '1']
const OUT_OF_RANGE = 0.02
const OLD_DATE = 0.02
const MISSING_TEXT = 0.02
const ABSENT = 0.4
const CONSTANT = 0.97
/** A few rows may be sent twice. */
const REPEATED = 0.3
const FEWEST_COLUMNS = 10
const NUMBER = '^-?[0-9]+([.][0-9]+)?$'
const DATE =
  '^((0[1-9]|[12][0-9]|3[01])-(0[1-9]|1[0-2])-[0-9]{4}|[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01]))$'
/** A date before 2000. */
const OLD_YEAR = '^([01][0-9]{3}-.*|.*-[01][0-9]{3})$'

export interface Asked {
  readonly dialect: Dialect
  readonly table: string
  readonly columns: Columns
  readonly plan: FeedPlan
  readonly domains: ReadonlyMap<string, Domain>
  /** What the model takes of each field, where that is less. */
  readonly taken: ReadonlyMap<string, Domain>
  /** Fields whose codes are stated: nothing in them is foreign. */
  readonly mapped: ReadonlySet<string>
}

export const countIf = (condition: string): string => `sum(CASE WHEN ${condition} THEN 1 ELSE 0 END)`

export function questionsOf(asked: Asked): readonly SqlQuestion[] {
  const { columns, plan } = asked
  return [
    ...plan.fields.flatMap((field): readonly SqlQuestion[] => {
      const column = columns.get(field.name)
      if (column === undefined) return field.isRequired ? [noColumn(field)] : []
      return ofField(asked, field, column)
    }),
    ...comparisons(asked),
    ...sharesOfPairs(asked),
    ...repeated(asked),
  ]
}

/** The column as a number that can be compared; undefined for columns whose text must be read first. */
export function valueOf(
  { dialect, columns, domains }: Pick<Asked, 'dialect' | 'columns' | 'domains'>,
  field: string,
): string | undefined {
  const column = columns.get(field)
  const kind = domains.get(field)?.kind
  if (column === undefined || kind === undefined) return undefined
  const name = dialect.identifier(column.name)
  if (kind === 'yesNo')
    return column.type === 'boolean' ? `(CASE WHEN ${name} THEN 1 WHEN NOT ${name} THEN 0 END)` : undefined
  if (kind === 'code' || kind === 'date' || !['integer', 'number', 'decimal'].includes(column.type))
    return undefined
  const value = sql`CAST(${name} AS ${dialect.doubleType})`
  return (column.type === 'number' ? dialect.withoutNaN(value) : value).text
}

function ofField(asked: Asked, field: FeedFieldPlan, column: Column): readonly SqlQuestion[] {
  const { dialect } = asked
  const { name, kind } = field
  const given = dialect.identifier(column.name)
  const value = valueOf(asked, name)
  const absent = { found: countIf(`${given} IS NULL`), of: 'count(*)', most: ABSENT, weight: LIGHT }
  const required = field.isRequired ? [{ field: name, doubt: 'missing', ...absent }] : []
  const form = formOf(asked, field, column)
  const numbers = value === undefined || field.usual === undefined ? [] : numberQuestions(asked, field, value)
  const isCode = kind === 'code' || kind === 'yesNo'
  return [...required, ...form, ...numbers, ...(isCode ? shares(asked, field, given, value) : [])]
}

/** What is refused, or written by another convention. */
function formOf(
  { dialect, mapped, domains, taken, columns }: Asked,
  field: FeedFieldPlan,
  column: Column,
): readonly SqlQuestion[] {
  const { name, kind } = field
  const given = dialect.identifier(column.name)
  const text = `CAST(${given} AS ${dialect.textType})`
  const of = `count(${given})`
  const question = { field: name, of, weight: LIGHT }
  if (kind === 'code' || kind === 'yesNo') {
    const listed = (codes: readonly string[]): string => codes.map((code) => dialect.string(code)).join(', ')
    if (mapped.has(name) || column.type === 'boolean') return []
    const foreign = foreignCodesOf(name)
    const codes = kind === 'yesNo' ? YES_NO : [...codesIn(domains.get(name)).keys()]
    const found = countIf(`${given} IS NOT NULL AND ${text} NOT IN (${listed(codes)})`)
    return [
      { ...question, doubt: 'codes', found, most: WRONG_CODE },
      ...(foreign.length === 0
        ? []
        : [{ ...question, doubt: 'codes', found: countIf(`${text} IN (${listed(foreign)})`), most: 0 }]),
    ]
  }
  if (column.type === 'text') {
    const pattern = kind === 'date' ? DATE : NUMBER
    const isOfForm = (form: string): string => dialect.matches(sql`${text}`, form).text
    const isMissing = `upper(${text}) IN (${MISSING_TEXTS.map((each) => dialect.string(each)).join(', ')})`
    return [
      {
        ...question,
        doubt: 'format',
        found: countIf(`NOT (${isOfForm(pattern)}) AND NOT (${isMissing})`),
        most: WRONG_FORM,
      },
      { ...question, doubt: 'missing-code', found: countIf(isMissing), most: MISSING_TEXT },
      ...(kind === 'date'
        ? [{ ...question, doubt: 'missing-code', found: countIf(isOfForm(OLD_YEAR)), most: OLD_DATE }]
        : []),
    ]
  }
  if (kind === 'date') {
    if (column.type !== 'date') return []
    const isOld = `${given} < ${dialect.date('2000-01-01')}`
    return [{ ...question, doubt: 'missing-code', found: countIf(isOld), most: OLD_DATE }]
  }
  const domain = domains.get(name)
  const range = domain && rangeOf(domain)
  if (range === undefined || valueOf({ dialect, columns, domains }, name) === undefined) return []
  const value = `CAST(${given} AS ${dialect.doubleType})`
  const beyond = (of: Domain | undefined): string => {
    if (of?.kind === 'list')
      return `${value} NOT IN (${of.values.map((each) => dialect.double(each)).join(', ')})`
    const { from, to } = (of && rangeOf(of)) ?? range
    return `${value} < ${dialect.double(from)} OR ${value} > ${dialect.double(to)}`
  }
  const isCode = `${value} IN (${MISSING_CODES.map((code) => dialect.double(code)).join(', ')})`
  return [
    {
      ...question,
      doubt: 'quantity (another unit, or another quantity)',
      found: countIf(beyond(domain)),
      most: OUT_OF_RANGE,
    },
    {
      ...question,
      doubt: 'missing-code',
      found: countIf(`(${beyond(taken.get(name))}) AND ${isCode}`),
      most: 0.0002,
    },
  ]
}

function shares(
  { dialect }: Asked,
  { name, shares: known }: FeedFieldPlan,
  given: string,
  value?: string,
): readonly SqlQuestion[] {
  return known.flatMap(({ value: code, least, most }): SqlQuestion[] => {
    if (code === true && value === undefined) return []
    const is =
      code === true
        ? `${String(value)} = 1`
        : `CAST(${given} AS ${dialect.textType}) = ${dialect.string(code)}`
    const of = `count(${given})`
    const question = { field: name, doubt: 'share', of, weight: 1 }
    return [
      ...(most < 1 ? [{ ...question, found: countIf(is), most }] : []),
      ...(least > 0
        ? [{ ...question, found: countIf(`${given} IS NOT NULL AND NOT (${is})`), most: 1 - least }]
        : []),
    ]
  })
}

/** Where numbers lie, which of them is too common, and their digits. */
function numberQuestions(asked: Asked, field: FeedFieldPlan, value: string): readonly SqlQuestion[] {
  const { dialect, table } = asked
  const { name, usual, isAsWritten } = field
  if (usual === undefined) return []
  const of = `count(${value})`
  const number = (given: number): string => dialect.double(given)
  const level = usual.isPeriod === true ? 'period' : 'quantity (another unit, or another quantity)'
  const ask = (doubt: string, found: string, most: number, more: Partial<SqlQuestion> = {}): SqlQuestion => {
    return { field: name, doubt, found, of, most, weight: 1, ...more }
  }
  const { median, heap } = usual
  const below = [...(usual.below ?? []), ...(median === undefined ? [] : [[median[0], 0.5] as const])]
  const above = [...(usual.above ?? []), ...(median === undefined ? [] : [[median[1], 0.5] as const])]
  const isBelow = (edge: number): string => `${value} < ${number(edge)}`
  const isFrom = (edge: number): string => `${value} >= ${number(edge)}`
  const commonest = `(SELECT max(n) FROM (SELECT count(*) AS n FROM ${table} WHERE ${value} IS NOT NULL GROUP BY ${value}) AS g)`
  const highest = `(SELECT max(${value}) FROM ${table})`
  const isHighest = countIf(`${value} = ${highest}`)
  const codes = (usual.codes ?? []).map(([code, most]) => {
    const found = countIf(`${value} = ${number(code)}`)
    const isHeap = heap?.code === code
    const around = isHeap ? countIf(`${isFrom(heap.from)} AND ${isBelow(heap.below)}`) : ''
    // A table is looked at once, as a feed that has no past.
    return ask(
      `missing-code (${code})`,
      found,
      isHeap ? heap.first : most,
      isHeap ? { when: `${found} > ${number(heap.most)} * ${around}` } : {},
    )
  })
  const multiple = (step: number): string =>
    countIf(`${value} = ${number(step)} * floor(${value} / ${number(step)})`)
  const digits = [
    [usual.whole, 1],
    [usual.fives, 5],
    [usual.tens, 10],
  ] as const
  return [
    ...below.map(([edge, most]) => ask(level, countIf(isBelow(edge)), most)),
    ...above.map(([edge, most]) => ask(level, countIf(isFrom(edge)), most)),
    ...(usual.fewBelow ?? []).map(([edge, least]) => ask(level, countIf(isFrom(edge)), 1 - least)),
    ...(usual.fewFrom ?? []).map(([edge, least]) => ask(level, countIf(isBelow(edge)), 1 - least)),
    ...codes,
    ask('constant', commonest, Math.max(CONSTANT - 0.02, usual.commonest), { weight: 0.05 }),
    ask('missing-code', commonest, usual.commonest),
    ...(usual.limit === undefined
      ? []
      : [
          ask('limit', isHighest, usual.limit.hazard, {
            of: isHighest,
            when: `${highest} < ${number(usual.limit.open)}`,
            weight: usual.limit.weight ?? 1,
          }),
        ]),
    ...(isAsWritten
      ? digits.flatMap(([most, step]) => (most === undefined ? [] : [ask('digits', multiple(step), most)]))
      : []),
  ]
}

/** Two numbers that may be equal, or the first one the higher, in at most a share. */
function comparisons(asked: Asked): readonly SqlQuestion[] {
  const { plan } = asked
  return plan.comparisons.flatMap(({ one, other, equal, higher }): SqlQuestion[] => {
    const names = [one, other].map((place) => plan.fields[place]?.name ?? '')
    const [first, second] = names.map((name) => valueOf(asked, name))
    if (first === undefined || second === undefined) return []
    const of = countIf(`${first} IS NOT NULL AND ${second} > 0`)
    return names.flatMap((field) => [
      ...(equal < 1
        ? [
            {
              field,
              doubt: 'quantity',
              found: countIf(`${second} > 0 AND ${first} = ${second}`),
              of,
              most: equal,
              weight: 1,
              pair: `equal ${names.join(' ')}`,
            },
          ]
        : []),
      ...(higher < 1
        ? [
            {
              field,
              doubt: 'quantity',
              found: countIf(`${first} > ${second}`),
              of: countIf(`${first} > ${second} OR (${first} IS NOT NULL AND ${second} > 0)`),
              most: higher,
              weight: 1,
              pair: `higher ${names.join(' ')}`,
            },
          ]
        : []),
    ])
  })
}

/** Statements of two fields that go together in a share. */
function sharesOfPairs(asked: Asked): readonly SqlQuestion[] {
  return asked.plan.pairs.flatMap((pair, at): SqlQuestion[] => {
    const { least, most } = pair
    if (least === undefined && most === undefined) return []
    const one = isTrue(asked, pair.one)
    const other = isTrue(asked, pair.other)
    if (one === undefined || other === undefined) return []
    const of = countIf(`${one} AND (${other} OR NOT ${other})`)
    const names = [pair.one, pair.other].map(({ place }) => asked.plan.fields[place]?.name ?? '')
    return names.flatMap((field) => [
      ...(most === undefined
        ? []
        : [
            {
              field,
              doubt: 'misaligned',
              found: countIf(`${one} AND ${other}`),
              of,
              most,
              weight: 1,
              pair: `most ${at}`,
            },
          ]),
      ...(least === undefined
        ? []
        : [
            {
              field,
              doubt: 'misaligned',
              found: countIf(`${one} AND NOT ${other}`),
              of,
              most: 1 - least,
              weight: 1,
              pair: `least ${at}`,
            },
          ]),
    ])
  })
}

/** A statement about a field; undefined where its column cannot be compared. */
export function isTrue(
  asked: Asked,
  { place, from, below }: FeedPlan['pairs'][number]['one'],
): string | undefined {
  const { plan, dialect, columns, domains } = asked
  const field = plan.fields[place]
  const column = field && columns.get(field.name)
  if (field === undefined || column === undefined) return undefined
  if (field.kind === 'code') {
    const code = [...codesIn(domains.get(field.name) as Domain)].find(([, number]) => number === from)?.[0]
    return code === undefined
      ? undefined
      : `(CAST(${dialect.identifier(column.name)} AS ${dialect.textType}) = ${dialect.string(code)})`
  }
  const value = valueOf(asked, field.name)
  if (value === undefined) return undefined
  const edges = [
    ...(from === -Infinity ? [] : [`${value} >= ${dialect.double(from)}`]),
    ...(below === Infinity ? [] : [`${value} < ${dialect.double(below)}`]),
  ]
  return `(${edges.join(' AND ')})`
}

function noColumn({ name }: FeedFieldPlan): SqlQuestion {
  return { field: name, doubt: 'missing', found: 'count(*)', of: 'count(*)', most: ABSENT, weight: LIGHT }
}

/** One number of a record in several rows, and rows that equal another one in everything else. */
function repeated({ dialect, columns, table }: Asked): readonly SqlQuestion[] {
  const idx = columns.get('idx')
  const others = [...columns]
    .filter(([field]) => field !== 'idx')
    .map(([, { name }]) => dialect.identifier(name))
  const question = { field: 'idx', doubt: 'repeated', of: 'count(*)', weight: LIGHT }
  const ofIdx = idx && `count(*) - count(DISTINCT ${dialect.identifier(idx.name)})`
  // An identifier that is a number has lost its separator of thousands, where it has decimals.
  const number = idx?.type === 'number' ? dialect.identifier(idx.name) : undefined
  const distinct = `(SELECT count(*) FROM (SELECT DISTINCT ${others.join(', ')} FROM ${table}) AS d)`
  return [
    ...(ofIdx === undefined ? [] : [{ ...question, found: ofIdx, most: WRONG_FORM }]),
    ...(number === undefined
      ? []
      : [
          {
            ...question,
            doubt: 'format',
            found: countIf(`${number} <> floor(${number})`),
            most: WRONG_FORM,
          },
        ]),
    ...(others.length < FEWEST_COLUMNS
      ? []
      : [{ ...question, found: `count(*) - ${distinct}`, most: REPEATED }]),
  ]
}
