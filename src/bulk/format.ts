/** The forms a table of records may have on disk, and how a file's name tells them. */
export const FORMATS = ['json', 'ndjson', 'csv', 'parquet'] as const
export type Format = (typeof FORMATS)[number]

const BY_ENDING: Readonly<Record<string, Format>> = {
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  csv: 'csv',
  tsv: 'csv',
  parquet: 'parquet',
}

/** What a file's name says: its form, if it says any, and whether it is gzipped. */
export function formatOf(path: string): { readonly format: Format | undefined; readonly gzip: boolean } {
  const gzip = path.toLowerCase().endsWith('.gz')
  const plain = gzip ? path.slice(0, -3) : path
  const ending = /\.([A-Za-z]+)$/.exec(plain)?.[1]?.toLowerCase() ?? ''
  return { format: BY_ENDING[ending], gzip }
}
