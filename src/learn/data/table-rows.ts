/** Labelled rows of a table: the engine reads the cells and labels the rows, some thousand at a time. */
import type { Domain } from '../../definition/domain.ts'
import { isOneOf } from '../../tables/cell-sql.ts'
import { type ResultColumn, TableEngine, literal } from '../../tables/engine.ts'
import { columnNamed, faultsSql, fieldSql, rightSql, textSql } from '../../tables/field-sql.ts'
import { type TableFile, useTable } from '../../tables/open-table.ts'
import { type Table, rowReason } from '../../tables/table.ts'
import { DataError } from './data-error.ts'
import {
  DAMAGED,
  type FieldSource,
  type LabelledRow,
  NO_OUTCOME,
  type Source,
  type Take,
  type Verdict,
  columnsNeeded,
  fieldSources,
  requireColumns,
} from './labelled-row.ts'
import { MISSING_TEXTS } from './specification.ts'

const MOST_FAULTS = 10
/** Labels the row as faulty. From FIRST_REASON on, labels are reasons to leave a row out. */
const FAULTY = -1
const FIRST_REASON = 2
/** Stands for a missing number. Testing for null is slow in JavaScript, and no cell can hold infinity. */
const MISSING = `'infinity'::DOUBLE`

export async function visitTable(source: Source, format: TableFile['format'], take: Take): Promise<void> {
  const { path, data, extra = [], onProgress } = source
  const wanted = columnsNeeded(source)
  const fields = fieldSources(source)
  const choices = fields.map(({ domain }) => choicesOf(domain))
  const reasons = [NO_OUTCOME, ...(data.exclude ?? []).map(({ reason }) => reason)]
  const visitRows = async (table: Table, engine: TableEngine): Promise<void> => {
    refuseFaultyRows(path, table)
    const known = table.columns.map(({ name }) => name)
    requireColumns(wanted, known)
    let columns: readonly ResultColumn[] = []
    let index = 0
    let rows = 0
    const record: Record<string, unknown> = {}
    const [label, faults, first] = [fields.length, fields.length + 1, fields.length + 2]
    const cell = (place: number): unknown => columns[place]?.getItem(index)
    const row: LabelledRow = {
      get line() {
        return table.lineOf(rows - 1)
      },
      outcome: 0,
      patient: 0,
      record,
      text: (column) => cell(first + extra.indexOf(column)) as string,
    }
    const verdict = (): Verdict => {
      const number = cell(label) as number
      if (number === FAULTY) return faultsIn(cell(faults) as string)
      if (number >= FIRST_REASON) return reasons[number - FIRST_REASON] as string
      fields.forEach(({ field }, place) => {
        const value = cell(place) as number
        record[field] =
          choices[place] === undefined ? (value === Infinity ? null : value) : choices[place][value]
      })
      return number as 0 | 1
    }
    for await (columns of engine.chunks(queryFor(table, source, fields))) {
      for (index = 0; index < (columns[0]?.itemCount ?? 0); index++) {
        rows++
        take(row, verdict(), (cell(first + extra.length) ?? '') as string)
      }
      onProgress?.(Math.max(0, engine.share), 1)
    }
  }
  const engine = await TableEngine.open(1)
  try {
    await useTable(engine, { path, format }, {}, (table) => visitRows(table, engine))
  } finally {
    engine.close()
  }
}

function faultsIn(text: string): (readonly [string, string])[] {
  return [...text.matchAll(/(.*)\t(.*)\n/g)].map(([, column = '', reason = '']) => [column, reason])
}

function refuseFaultyRows(path: string, { faults, faultCount }: Table): void {
  if (faultCount === 0) return
  throw new DataError(
    faults
      .slice(0, MOST_FAULTS)
      .map(({ line, reason }) => `${path}, line ${line}: ${rowReason(reason)}${DAMAGED}`),
  )
}

/** The values that choice numbers stand for; the last two are any other text, and no value. Undefined for numbers and dates. */
function choicesOf(domain: Domain): readonly unknown[] | undefined {
  if (domain.kind === 'yesNo') return [false, true, '', null]
  return domain.kind === 'code' ? [...domain.codes.keys(), '', null] : undefined
}

/** One row for each of the table: the fields, the label, the faults, the further columns, and the patient. */
function queryFor(table: Table, { data, extra = [] }: Source, rules: readonly FieldSource[]): string {
  const { outcome, patient, exclude = [], decimalComma, missing = MISSING_TEXTS } = data
  const decimal = decimalComma === undefined ? undefined : decimalComma ? 'comma' : 'point'
  const text = (column: string, usual: readonly string[] = []): string =>
    textSql(columnNamed(table, column), usual)
  const cells = rules.map(({ rule, domain }, place) => {
    return {
      value: `v${place}`,
      raw: `r${place}`,
      field: fieldSql(table, rule, domain, { missing, decimal, none: MISSING }),
    }
  })
  const inner = [
    ...cells.map(({ value, field }) => `${field.value} AS ${value}`),
    ...cells.map(({ raw, field }) => `${field.cell?.raw ?? 'NULL'} AS ${raw}`),
    `${outcome.column === null ? 'NULL' : text(outcome.column, [...outcome.yes, ...outcome.no])} AS said`,
    ...exclude.map(({ column }, place) => `coalesce(${text(column)}, '') AS x${place}`),
    ...extra.map((column, place) => `${text(column)} AS e${place}`),
    ...(patient === undefined ? [] : [`coalesce(${text(patient)}, '') AS patient`]),
  ]
  const { yes = [], no = [] } = outcome.column === null ? {} : outcome
  const listed = (texts: readonly string[]): string[] => texts.filter((each) => !missing.includes(each))
  const isYes = isOneOf('said', listed(yes))
  const isKnown =
    outcome.column === null ? 'true' : `coalesce(${isOneOf('said', listed([...yes, ...no]))}, false)`
  const isNone = `(said IS NULL OR ${isOneOf('said', missing)})`
  // Rows of data without an outcome count as rows without the event.
  const label = [
    ...exclude.map(({ values }, place) => [isOneOf(`x${place}`, values), FIRST_REASON + 1 + place]),
    ...(outcome.column === null ? [] : [[`NOT ${isKnown} AND ${isNone}`, FIRST_REASON]]),
    [`NOT (${isKnown} AND ${rightSql(cells)})`, FAULTY],
    [isYes, 1],
  ].map(([holds, number]) => `WHEN ${holds} THEN ${number}`)
  const outer = [
    ...cells.map(({ value }, place) => choiceSql(value, choicesOf((rules[place] as FieldSource).domain))),
    `CASE ${label.join(' ')} ELSE 0 END`,
    faultsSql(cells, { decimal }, "'notANumber'", [isKnown, literal(`${outcome.column ?? ''}\toutcome\n`)]),
    ...extra.map((_column, place) => {
      return `CASE WHEN e${place} IS NULL OR ${isOneOf(`e${place}`, missing)} THEN 'missing' ELSE e${place} END`
    }),
    ...(patient === undefined ? [] : ['patient']),
  ]
  return `SELECT ${outer.join(', ')} FROM (SELECT ${inner.join(', ')} FROM ${table.from})`
}

/** The place of a text among the choices. */
function choiceSql(value: string, choices: readonly unknown[] | undefined): string {
  if (choices === undefined) return value
  const [other, none] = [choices.length - 2, choices.length - 1]
  const places = choices
    .slice(0, other)
    .map((choice, place) => `WHEN ${literal(String(choice))} THEN ${place}`)
  return `CASE WHEN ${value} IS NULL THEN ${none} ELSE CASE ${value} ${places.join(' ')} ELSE ${other} END END`
}
