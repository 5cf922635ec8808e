/** Rows of a Parquet file, one row group after the other, column by column. */
import { BadFile } from '../../tables/bad-file.ts'
import { layDown } from '../../tables/open-input.ts'
import { parquetLayout, readColumns, splitParquet } from '../../tables/parquet.ts'
import { placesOf } from './places.ts'
import type { Cell, OnProgress, Row, Visit } from './row.ts'

export async function readParquet(
  path: string,
  wanted: readonly string[],
  visit: Visit,
  onProgress: OnProgress,
): Promise<void> {
  const laid = await layDown(path)
  try {
    const { columns, groups } = await parquetLayout(laid.path)
    placesOf(path, wanted, columns)
    const total = groups.reduce((sum, count) => sum + count, 0)
    if (total === 0) throw new BadFile('is empty')
    for (const group of splitParquet(laid.path, groups)) {
      const row = new ColumnRow(await readColumns(group, wanted))
      for (; row.index < group.count; row.index++) {
        row.line = group.first + row.index + 1
        visit(row)
      }
      onProgress(group.first + group.count, total)
    }
  } finally {
    laid.remove()
  }
}

class ColumnRow implements Row {
  line = 0
  index = 0
  private readonly columns: readonly (readonly unknown[])[]

  constructor(columns: readonly (readonly unknown[])[]) {
    this.columns = columns
  }

  cell(place: number): Cell {
    const value = this.columns[place]?.[this.index]
    if (typeof value === 'bigint') return Number(value)
    if (value instanceof Date) return value.toISOString()
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as Cell)
  }

  number(place: number): number {
    const value = this.columns[place]?.[this.index]
    return typeof value === 'number' ? value : Number.NaN
  }
}
