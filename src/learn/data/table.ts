/** Labelled data as rows, whatever file they come from. A refused file is reported with its name. */
import { statSync } from 'node:fs'
import { BadFile } from '../../tables/bad-file.ts'
import { DataError } from './data-error.ts'
import { engineReader } from './engine-rows.ts'
import { readNdjson } from './ndjson.ts'
import type { OnProgress, Visit, Wanted } from './row.ts'

const KINDS = {
  '.csv': engineReader('csv'),
  '.tsv': engineReader('csv'),
  '.ndjson': readNdjson,
  '.jsonl': readNdjson,
  '.parquet': engineReader('parquet'),
  '.xlsx': engineReader('xlsx'),
}

/** Visits the rows of a file. Every cell stands where its column stands among the wanted ones. */
export async function readTable(
  path: string,
  wanted: Wanted,
  visit: Visit,
  onProgress: OnProgress = () => undefined,
): Promise<void> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new DataError([`${path}: there is no such file`])
  }
  const name = path.toLowerCase().replace(/\.(gz|zst)$/, '')
  const kind = Object.entries(KINDS).find(([ending]) => name.endsWith(ending))
  if (kind === undefined) {
    throw new DataError([
      `${path}: the name must end in ${Object.keys(KINDS).join(', ')}, or one of them with .gz or .zst`,
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
