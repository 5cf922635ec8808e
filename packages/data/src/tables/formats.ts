/** The formats of a file of records, by the endings of its name. */
export const FORMATS = ['json', 'ndjson', 'csv', 'parquet', 'xlsx'] as const
export type Format = (typeof FORMATS)[number]

export const WRITTEN_FORMATS = ['json', 'ndjson', 'csv', 'tsv', 'parquet'] as const
export type WrittenFormat = (typeof WRITTEN_FORMATS)[number]
export type ErrorsFormat = Extract<WrittenFormat, 'ndjson' | 'csv' | 'tsv'>
export type Compression = 'gzip' | 'zstd'

const COMPRESSIONS: Readonly<Record<string, Compression>> = { gz: 'gzip', zst: 'zstd' }

export function formatOf(path: string): {
  readonly format: Format | undefined
  readonly written: WrittenFormat | undefined
  readonly compression: Compression | undefined
} {
  const endings = path.toLowerCase().split('.').slice(1)
  const compression = COMPRESSIONS[endings[endings.length - 1] ?? '']
  const ending = endings.at(compression === undefined ? -1 : -2)
  const name = ending === 'jsonl' ? 'ndjson' : ending
  return {
    format: FORMATS.find((each) => each === (name === 'tsv' ? 'csv' : name)),
    written: WRITTEN_FORMATS.find((each) => each === name),
    compression,
  }
}

export function isTextFormat(format: Format | WrittenFormat): boolean {
  return format === 'json' || format === 'ndjson'
}
