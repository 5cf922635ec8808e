/** Labelled data as rows of cells, whatever file they come from. */
import { statSync } from 'node:fs'
import type { OnProgress } from './bytes.ts'
import { readCsv } from './csv.ts'
import { DataError } from './data-error.ts'
import { readNdjson } from './ndjson.ts'
import { readParquet } from './parquet.ts'
import type { Row } from './row.ts'

const KINDS = {
  '.csv': readCsv,
  '.tsv': readCsv,
  '.ndjson': readNdjson,
  '.jsonl': readNdjson,
  '.parquet': readParquet,
}

/** The rows of a file, in batches. Every cell stands where its column stands among the wanted ones. */
export function readTable(
  path: string,
  wanted: readonly string[],
  onProgress: OnProgress = () => undefined,
): AsyncGenerator<readonly Row[]> {
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
  return kind[1](path, wanted, onProgress)
}
