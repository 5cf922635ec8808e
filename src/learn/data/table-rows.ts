/** The rows of a table: the engine reads the cells of fields, some thousand rows at a time. */
import { type ResultColumn, TableEngine } from '../../tables/engine.ts'
import { columnNamed, faultsSql, fieldSql, textSql } from '../../tables/field-sql.ts'
import { type TableFile, useTable } from '../../tables/open-table.ts'
import { type Table, rowReason } from '../../tables/table.ts'
import { DataError } from './data-error.ts'
import {
  type CellFault,
  DAMAGED,
  type FileRow,
  type Source,
  type Take,
  columnsNeeded,
  fieldSources,
  requireColumns,
  textColumns,
} from './file-rows.ts'
import { MISSING_TEXTS } from './specification.ts'

const MOST_FAULTS = 10

export async function visitTable(source: Source, format: TableFile['format'], take: Take): Promise<void> {
  const engine = await TableEngine.open(1)
  try {
    await useTable(engine, { path: source.path, format }, {}, (table) =>
      visitRows(source, engine, table, take),
    )
  } finally {
    engine.close()
  }
}

async function visitRows(source: Source, engine: TableEngine, table: Table, take: Take): Promise<void> {
  const wanted = columnsNeeded(source)
  if (table.faultCount > 0) {
    const first = table.faults.slice(0, MOST_FAULTS)
    throw new DataError(
      first.map(({ line, reason }) => `${source.path}, line ${line}: ${rowReason(reason)}${DAMAGED}`),
    )
  }
  requireColumns(
    wanted,
    table.columns.map(({ name }) => name),
  )
  const fields = fieldSources(source)
  const texts = new Map(textColumns(source).map((column, place) => [column, fields.length + 1 + place]))
  let columns: readonly ResultColumn[] = []
  let index = 0
  let rows = 0
  const cell = (place = -1): unknown => columns[place]?.getItem(index)
  const record: Record<string, unknown> = {}
  const row: FileRow = {
    get line() {
      return table.lineOf(rows - 1)
    },
    text: (column) => (cell(texts.get(column)) ?? undefined) as string | undefined,
    record() {
      fields.forEach(({ field, domain }, place) => {
        const value = cell(place)
        record[field] = domain.kind === 'yesNo' ? truth(value) : value
      })
      return record
    },
    faults() {
      const found = (cell(fields.length) ?? '') as string
      return found === '' ? [] : faultsIn(found)
    },
  }
  for await (columns of engine.chunks(queryFor(table, source))) {
    for (index = 0; index < (columns[0]?.itemCount ?? 0); index++) {
      rows++
      take(row)
    }
    source.onProgress?.(Math.max(0, engine.share), 1)
  }
}

function truth(text: unknown): unknown {
  return text === 'true' || (text === 'false' ? false : text)
}

function faultsIn(text: string): readonly CellFault[] {
  return [...text.matchAll(/(.*)\t(.*)\n/g)].map(([, column = '', reason = '']) => [column, reason])
}

/** One row for each of the table: the fields, the faults of their cells, and the texts of the other columns. */
function queryFor(table: Table, source: Source): string {
  const { decimalComma, missing = MISSING_TEXTS } = source.data
  const decimal = decimalComma === undefined ? undefined : decimalComma ? 'comma' : 'point'
  const cells = fieldSources(source).map(({ rule, domain }, place) => {
    const field = fieldSql(table, rule, domain, { missing, decimal })
    return { value: `v${place}`, raw: `r${place}`, field }
  })
  const texts = textColumns(source).map((column, place) => {
    return { name: `t${place}`, sql: textSql(columnNamed(table, column)) }
  })
  const inner = [
    ...cells.flatMap(({ value, raw, field }) => [
      `${field.value} AS ${value}`,
      `${field.cell?.raw ?? 'NULL'} AS ${raw}`,
    ]),
    ...texts.map(({ name, sql }) => `${sql} AS ${name}`),
  ]
  const outer = [
    ...cells.map(({ value }) => value),
    faultsSql(cells, { decimal }, "'notANumber'"),
    ...texts.map(({ name }) => name),
  ]
  return `SELECT ${outer.join(', ')} FROM (SELECT ${inner.join(', ')} FROM ${table.from})`
}
