/** Parquet files, a row group at a time: what is held grows with the row group, not with the file. */
import { type FileMetaData, asyncBufferFromFile, parquetMetadataAsync, parquetRead } from 'hyparquet'
import { BadFile } from './bad-file.ts'
import type { RowsChunk } from './chunk.ts'

export async function parquetLayout(
  path: string,
): Promise<{ readonly columns: readonly string[]; readonly groups: readonly number[] }> {
  const metadata = await metadataOf(path)
  const [root] = metadata.schema
  const columns: string[] = []
  for (let at = 1; at < metadata.schema.length;) {
    columns.push(metadata.schema[at]?.name ?? '')
    at = behind(metadata, at)
  }
  if (root === undefined) throw new BadFile('is not a Parquet file')
  return { columns, groups: metadata.row_groups.map(({ num_rows }) => Number(num_rows)) }
}

/** Row groups one after the other; each is read by the thread that works on it. */
export function* splitParquet(path: string, groups: readonly number[]): Generator<RowsChunk> {
  let first = 0
  for (const count of groups) {
    if (count > 0) yield { kind: 'rows', path, first, count }
    first += count
  }
}

/** The rows of a group, each with all its cells. */
export async function readRowGroup(chunk: RowsChunk): Promise<readonly unknown[][]> {
  let rows: unknown[][] = []
  await read(chunk, { onComplete: (all: unknown[][]) => (rows = all) })
  return rows
}

/** Some columns of a group, in the order of their names: their cells, never put together as rows. */
export async function readColumns(
  chunk: RowsChunk,
  names: readonly string[],
): Promise<readonly (readonly unknown[])[]> {
  const columns = new Map(names.map((name) => [name, new Array<unknown>(chunk.count)]))
  await read(chunk, {
    columns: [...columns.keys()],
    onChunk({ columnName, columnData, rowStart }) {
      const cells = columns.get(columnName)
      const place = rowStart - chunk.first
      for (let row = 0; row < columnData.length; row++) if (cells) cells[place + row] = columnData[row]
    },
  })
  return names.map((name) => columns.get(name) ?? [])
}

async function read(
  { path, first, count }: RowsChunk,
  options: Omit<Parameters<typeof parquetRead>[0], 'file'>,
): Promise<void> {
  try {
    const file = await asyncBufferFromFile(path)
    await parquetRead({ ...options, file, rowStart: first, rowEnd: first + count } as Parameters<
      typeof parquetRead
    >[0])
  } catch {
    throw new BadFile(
      `the rows from ${first + 1} to ${first + count} cannot be read as Parquet, plain or packed with snappy`,
    )
  }
}

async function metadataOf(path: string): Promise<FileMetaData> {
  try {
    return await parquetMetadataAsync(await asyncBufferFromFile(path))
  } catch {
    throw new BadFile('is not a Parquet file, or its end is missing')
  }
}

/** The place behind a column and everything nested in it. */
function behind(metadata: FileMetaData, at: number): number {
  let next = at + 1
  for (let child = 0; child < (metadata.schema[at]?.num_children ?? 0); child++) next = behind(metadata, next)
  return next
}
