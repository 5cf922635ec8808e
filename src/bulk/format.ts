/** The forms that a file of records may have, and how its name tells them. */
export const FORMATS = ['json', 'ndjson', 'csv', 'parquet', 'xlsx'] as const
export type Format = (typeof FORMATS)[number]
export type TextFormat = Extract<Format, 'json' | 'ndjson'>

export const WRITTEN_FORMATS = ['json', 'ndjson', 'csv', 'tsv', 'parquet'] as const
export type WrittenFormat = (typeof WRITTEN_FORMATS)[number]
export type ErrorsFormat = Extract<WrittenFormat, 'ndjson' | 'csv' | 'tsv'>
export type Compression = 'gzip' | 'zstd'

const BY_ENDING: ReadonlyMap<string, Format | 'tsv'> = new Map([
  ['json', 'json'],
  ['ndjson', 'ndjson'],
  ['jsonl', 'ndjson'],
  ['csv', 'csv'],
  ['tsv', 'tsv'],
  ['parquet', 'parquet'],
  ['xlsx', 'xlsx'],
])
const COMPRESSIONS: ReadonlyMap<string, Compression> = new Map([
  ['gz', 'gzip'],
  ['zst', 'zstd'],
])

/** What a file's name says of it. */
export interface NamedFormat {
  /** As it is read, and as it is written; undefined where the name does not say it. */
  readonly format: Format | undefined
  readonly written: WrittenFormat | undefined
  readonly compression: Compression | undefined
}

export function formatOf(path: string): NamedFormat {
  const endings = path.toLowerCase().split('.').slice(1)
  const compression = COMPRESSIONS.get(endings[endings.length - 1] ?? '')
  const named = BY_ENDING.get(endings[endings.length - (compression === undefined ? 1 : 2)] ?? '')
  return {
    format: named === 'tsv' ? 'csv' : named,
    written: named === 'xlsx' ? undefined : named,
    compression,
  }
}

export function isTextFormat(format: Format): format is TextFormat {
  return format === 'json' || format === 'ndjson'
}
