/** Opens a file of labelled data as a table of the engine, and reports a refused file with its name. */
import { statSync } from 'node:fs'
import { BadFile } from '../../tables/bad-file.ts'
import { TableEngine } from '../../tables/engine.ts'
import { formatOf } from '../../tables/formats.ts'
import { useTable } from '../../tables/open-table.ts'
import { type Table, rowReason } from '../../tables/table.ts'
import { DataError } from './data-error.ts'

const MOST_FAULTS = 10
const DAMAGED = '; the file may be cut off or damaged there'

const ENDINGS = '.csv, .tsv, .ndjson, .jsonl, .parquet, .xlsx'

/** The table must have all of these columns, and no row that cannot be read. */
export async function useTableFile<T>(
  path: string,
  columns: readonly string[],
  work: (table: Table, engine: TableEngine) => Promise<T>,
): Promise<T> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new DataError([`${path}: there is no such file`])
  }
  const { format } = formatOf(path)
  if (format === undefined || format === 'json')
    throw new DataError([`${path}: the name must end in ${ENDINGS}, or one of them with .gz or .zst`])
  const engine = await TableEngine.open(1)
  try {
    return await useTable(engine, { path, format }, {}, (table) => {
      refuseTable(path, table, columns)
      return work(table, engine)
    })
  } catch (error) {
    if (error instanceof BadFile) {
      const { message, line } = error
      throw new DataError([line === undefined ? `${path}: ${message}` : `${path}, ${message}${DAMAGED}`])
    }
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined || error instanceof DataError) throw error
    throw new DataError([`${path}: cannot be read (${code})`])
  } finally {
    engine.close()
  }
}

function refuseTable(path: string, { columns, faults, faultCount }: Table, wanted: readonly string[]): void {
  if (faultCount > 0) {
    const lines = faults
      .slice(0, MOST_FAULTS)
      .map(({ line, reason }) => `${path}, line ${line}: ${rowReason(reason)}${DAMAGED}`)
    throw new DataError(lines)
  }
  const known = columns.map(({ name }) => name)
  const lost = [...new Set(wanted)].filter((column) => !known.includes(column))
  if (lost.length === 0) return
  throw new DataError([
    `${path}: there is no column ${lost.join(', ')}; there are ${known.join(', ')}. A specification says which column gives which field`,
  ])
}
