/** Labelled data as rows, whatever file they come from. What the file's reader refuses is told with the file's name. */
import { statSync } from 'node:fs'
import { BadFile } from '../../tables/bad-file.ts'
import { readCsv } from './csv.ts'
import { DataError } from './data-error.ts'
import { readNdjson } from './ndjson.ts'
import { readParquet } from './parquet.ts'
import type { OnProgress, Visit } from './row.ts'

const KINDS = {
  '.csv': readCsv,
  '.tsv': readCsv,
  '.ndjson': readNdjson,
  '.jsonl': readNdjson,
  '.parquet': readParquet,
}

/** Visits the rows of a file. Every cell stands where its column stands among the wanted ones. */
export async function readTable(
  path: string,
  wanted: readonly string[],
  visit: Visit,
  onProgress: OnProgress = () => undefined,
): Promise<void> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new DataError([`${path}: there is no such file`])
  }
  const name = path.toLowerCase().replace(/\.gz$/, '')
  const kind = Object.entries(KINDS).find(([ending]) => name.endsWith(ending))
  if (kind === undefined) {
    throw new DataError([
      `${path}: the name must end in ${Object.keys(KINDS).join(', ')}, or one of them and .gz`,
    ])
  }
  try {
    await kind[1](path, wanted, visit, onProgress)
  } catch (error) {
    if (error instanceof BadFile) {
      const { message } = error
      throw new DataError([
        message.startsWith('line ')
          ? `${path}, ${message}; the file may be cut off or damaged there`
          : `${path}: ${message}`,
      ])
    }
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined || error instanceof DataError) throw error
    throw new DataError([`${path}: cannot be read (${code})`])
  }
}
