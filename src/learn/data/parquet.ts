/** Rows of a Parquet file, one row group after the other. */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { type AsyncBuffer, asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { type OnProgress, isGzipped } from './bytes.ts'
import { DataError } from './data-error.ts'
import { missingColumns } from './missing-columns.ts'
import type { Cell, Row } from './row.ts'

const MOST_ROWS = 50_000

export async function* readParquet(
  path: string,
  wanted: readonly string[],
  onProgress: OnProgress,
): AsyncGenerator<readonly Row[]> {
  try {
    const file = await open(path)
    const metadata = await parquetMetadataAsync(file)
    const names = metadata.schema.slice(1).map(({ name }) => name)
    if (wanted.some((column) => !names.includes(column))) throw missingColumns(path, wanted, names)
    const total = Number(metadata.num_rows)
    if (total === 0) throw new DataError([`${path}: is empty`])
    for (let rowStart = 0; rowStart < total; rowStart += MOST_ROWS) {
      const rowEnd = Math.min(total, rowStart + MOST_ROWS)
      const objects = await parquetReadObjects({
        file,
        metadata,
        columns: [...new Set(wanted)],
        rowStart,
        rowEnd,
      })
      onProgress(rowEnd, total)
      yield objects.map((object, index): Row => ({
        line: rowStart + index + 1,
        cells: wanted.map((column) => cellOf(object[column])),
      }))
    }
  } catch (error) {
    if (error instanceof DataError) throw error
    // The reader's own words may quote what it read.
    throw new DataError([
      `${path}: is not a Parquet file that can be read; it may be cut off or packed otherwise than with snappy`,
    ])
  }
}

async function open(path: string): Promise<AsyncBuffer> {
  if (!isGzipped(path)) return asyncBufferFromFile(path)
  const bytes = gunzipSync(readFileSync(path))
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
}

function cellOf(value: unknown): Cell {
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as Cell)
}
