/** Where the columns of a specification stand in a row, and how each of them is read. */
import type { Domain } from '../../definition/domain.ts'
import { type ColumnReader, type Reading, columnsOf, compileRule } from './column-rule.ts'
import { DataError } from './data-error.ts'
import { type DataSpecificationType, MISSING_TEXTS } from './data-specification.ts'
import { readNumber } from '../../tables/read-cell.ts'
import type { Cell, OnProgress, Row, Wanted } from './row.ts'

export interface Source {
  readonly path: string
  readonly data: DataSpecificationType
  /** Fields to be filled from the columns. */
  readonly fields: readonly string[]
  readonly domains: ReadonlyMap<string, Domain>
  readonly onProgress?: OnProgress
}

export interface Layout {
  /** Every column that is read, once. */
  readonly wanted: Wanted
  readonly readers: readonly ColumnReader[]
  readonly outcomes: ReadonlyMap<string, 0 | 1>
  readonly outcomePlace: number
  /** −1 when each row is a patient of its own. */
  readonly patientPlace: number
  readonly groupPlaces: readonly number[]
  readonly isMissing: (cell: Cell) => boolean
  readonly whyExcluded: (row: Row) => string | undefined
}

export function layOut({ data, fields, domains }: Source): Layout {
  const rules = fields.map((field) => ({ field, rule: data.columns?.[field] ?? { column: field } }))
  const wanted = [
    ...new Set([
      ...(data.outcome.column === null ? [] : [data.outcome.column]),
      ...(data.patient === undefined ? [] : [data.patient]),
      ...(data.exclude ?? []).map(({ column }) => column),
      ...(data.groups ?? []),
      ...rules.flatMap(({ rule }) => columnsOf(rule)),
    ]),
  ]
  const placeOf = (column: string): number => wanted.indexOf(column)
  const missingTexts = new Set(data.missing ?? MISSING_TEXTS)
  const { decimalComma } = data
  const decimal = decimalComma === undefined ? undefined : decimalComma ? 'comma' : 'point'
  const numbers = rules.flatMap(({ field, rule }) => {
    const isNumber = ['integer', 'decimal', 'list'].includes(domains.get(field)?.kind ?? '')
    return isNumber && 'column' in rule && rule.map === undefined ? [rule.column] : []
  })
  const isMissing = (cell: Cell): boolean =>
    cell === null || cell === undefined || missingTexts.has(String(cell))
  const reading: Reading = {
    placeOf,
    isMissing,
    numberMayBeMissing: [...missingTexts].some((text) => typeof readNumber(text, {}) === 'number'),
    decimal,
  }
  const exclusions = (data.exclude ?? []).map(({ column, values, reason }) => ({
    place: placeOf(column),
    values: new Set(values),
    reason,
  }))
  const { outcome } = data
  const outcomePlace = outcome.column === null ? -1 : placeOf(outcome.column)
  return {
    wanted: { columns: wanted, numbers: new Set(numbers), missing: [...missingTexts], decimal },
    readers: rules.map(({ field, rule }) => {
      const domain = domains.get(field)
      if (domain === undefined) throw new DataError([`the catalogue has no field called ${field}`])
      return compileRule(field, rule, domain, reading)
    }),
    outcomes: outcomeTexts(outcome),
    outcomePlace,
    patientPlace: data.patient === undefined ? -1 : placeOf(data.patient),
    groupPlaces: (data.groups ?? []).map(placeOf),
    isMissing,
    whyExcluded(row) {
      for (const { place, values, reason } of exclusions) {
        if (values.has(String(row.cell(place) ?? ''))) return reason
      }
      return outcomePlace >= 0 && isMissing(row.cell(outcomePlace)) ? 'no outcome' : undefined
    },
  }
}

/** A row without a column for the outcome reads as undefined, and counts as one without the event. */
function outcomeTexts(outcome: DataSpecificationType['outcome']): ReadonlyMap<string, 0 | 1> {
  if (outcome.column === null) return new Map([['undefined', 0]])
  return new Map<string, 0 | 1>([
    ...outcome.no.map((text) => [text, 0] as const),
    ...outcome.yes.map((text) => [text, 1] as const),
  ])
}
