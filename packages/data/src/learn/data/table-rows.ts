/** The rows of a table: the engine reads the cells of fields, some thousand rows at a time. */
import { decimalMark } from '../../tables/cell-sql.ts'
import { TableEngine } from '../../tables/engine.ts'
import { columnNamed, faultsIn, faultsSql, fieldSql, textSql } from '../../tables/field-sql.ts'
import { type TableFile, useTable } from '../../tables/open-table.ts'
import { type Table, rowReason } from '../../tables/table.ts'
import { DataError } from '../../tables/data-error.ts'
import { DAMAGED, type FileRow, type Source, type Take, columnsIn, requireColumns } from './file-rows.ts'
import { MISSING_TEXTS } from './specification.ts'

const MOST_FAULTS = 10

export async function visitTable(source: Source, format: TableFile['format'], take: Take): Promise<void> {
  using engine = await TableEngine.open(1)
  const options = { decimal: decimalMark(source.data.decimalComma) }
  const file = { path: source.path, format }
  await useTable(engine, file, options, (table) => visitRows(source, engine, table, take))
}

async function visitRows(source: Source, engine: TableEngine, table: Table, take: Take): Promise<void> {
  if (table.faultCount > 0) {
    const first = table.faults.slice(0, MOST_FAULTS)
    throw new DataError(
      first.map(({ line, reason }) => `${source.path}, line ${line}: ${rowReason(reason)}${DAMAGED}`),
    )
  }
  const wanted = columnsIn(source)
  const known = table.columns.map(({ name }) => name)
  requireColumns(wanted.needed, known)
  const { fields } = wanted
  const texts = new Map(wanted.texts.map((column, place) => [column, fields.length + 1 + place]))
  let index = 0
  let rows = 0
  let cell: (place?: number) => unknown
  const record: Record<string, unknown> = { idx: 0 }
  const row: FileRow = {
    get line() {
      return table.lineOf(rows - 1)
    },
    text: (column) => (cell(texts.get(column)) ?? undefined) as string | undefined,
    record() {
      fields.forEach(({ field, domain }, place) => {
        const value = cell(place)
        const isTruth = domain.kind === 'yesNo' && (value === 'true' || value === 'false')
        record[field] = isTruth ? value === 'true' : value
      })
      return record
    },
    faults: () => faultsIn(cell(fields.length)),
  }
  for await (const columns of engine.chunks(queryFor(table, source, wanted))) {
    cell = (place = -1) => columns[place]?.getItem(index)
    for (index = 0; index < (columns[0]?.itemCount ?? 0); index++) {
      rows++
      take(row)
    }
    source.onProgress?.(Math.max(0, engine.share), 1)
  }
}

/** One row for each of the table: the fields, the faults of their cells, and the texts of the other columns. */
function queryFor(table: Table, { data }: Source, wanted: ReturnType<typeof columnsIn>): string {
  const { decimalComma, missing = MISSING_TEXTS } = data
  const decimal = decimalMark(decimalComma)
  const cells = wanted.fields.map(({ rule, domain }, place) => {
    const field = fieldSql(table, rule, domain, { missing, decimal })
    return { value: `v${place}`, raw: `r${place}`, field }
  })
  const texts = wanted.texts.map((column) => textSql(columnNamed(table, column)))
  const inner = [
    ...cells.map(({ value, field }) => `${field.value} AS ${value}`),
    ...cells.map(({ raw, field }) => `${field.cell?.raw ?? 'NULL'} AS ${raw}`),
    ...texts.map((sql, place) => `${sql} AS t${place}`),
  ]
  const faults = faultsSql(cells, { decimal }, "'notANumber'")
  const outer = [...cells.map(({ value }) => value), faults, ...texts.map((_sql, place) => `t${place}`)]
  return `SELECT ${outer.join(', ')} FROM (SELECT ${inner.join(', ')} FROM ${table.from})`
}
