/** The forms a table of records may have on disk, and how a file's name tells them. */
export const FORMATS = ['json', 'ndjson', 'csv', 'parquet'] as const
export type Format = (typeof FORMATS)[number]

/** What is written must be told further; what is read shows itself what parts its cells. */
export const WRITTEN_FORMATS = [...FORMATS, 'tsv'] as const
export type WrittenFormat = (typeof WRITTEN_FORMATS)[number]
export type ErrorsFormat = Extract<WrittenFormat, 'ndjson' | 'csv' | 'tsv'>

const BY_ENDING: ReadonlyMap<string, WrittenFormat> = new Map([
  ['json', 'json'],
  ['ndjson', 'ndjson'],
  ['jsonl', 'ndjson'],
  ['csv', 'csv'],
  ['tsv', 'tsv'],
  ['parquet', 'parquet'],
])

/** What a file's name says of it. */
export interface NamedFormat {
  /** As it is read, and as it is written; undefined where the name does not say it. */
  readonly format: Format | undefined
  readonly written: WrittenFormat | undefined
  readonly gzip: boolean
}

export function formatOf(path: string): NamedFormat {
  const gzip = path.toLowerCase().endsWith('.gz')
  const plain = gzip ? path.slice(0, -3) : path
  const ending = /\.([A-Za-z]+)$/.exec(plain)?.[1]?.toLowerCase() ?? ''
  const written = BY_ENDING.get(ending)
  return { format: written === 'tsv' ? 'csv' : written, written, gzip }
}
