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

export async function readRowGroup({ path, first, count }: RowsChunk): Promise<readonly unknown[][]> {
  let rows: unknown[][] = []
  try {
    const file = await asyncBufferFromFile(path)
    const onComplete = (read: unknown[][]): void => {
      rows = read
    }
    await parquetRead({ file, rowStart: first, rowEnd: first + count, onComplete })
  } catch {
    throw new BadFile(`the rows from ${first + 1} to ${first + count} cannot be read as Parquet`)
  }
  return rows
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
