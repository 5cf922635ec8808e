/** Numbers, texts and dates that stand for a missing value in many systems. */

/** 0, nines in every length, and the negative codes of statistics programs. */
export const MISSING_CODES = [0, -1, 9, 9.9, 99, 99.9, 199, 999, 9999, -8, -9, -99, -999] as const

/** What statistics programs, spreadsheets and databases write where there is no value; in capitals, without spaces. */
export const MISSING_TEXTS: readonly string[] = [
  '',
  '.',
  '-',
  '--',
  '?',
  'NA',
  'N/A',
  'N.A.',
  '<NA>',
  '#N/A',
  '#NA',
  '#N/D',
  '#NV',
  '#NULL!',
  'NAN',
  'NAT',
  'ND',
  'NULL',
  'NONE',
  'NIL',
  'UNK',
  'UNKNOWN',
  'MISSING',
  'NASK',
]
const KNOWN: ReadonlySet<string> = new Set(MISSING_TEXTS)
const LONGEST = 8

/** Whether a text that was refused stands for a missing value. The text itself must not be kept. */
export function isMissingText(text: string): boolean {
  return text.length <= LONGEST && KNOWN.has(text.trim().toUpperCase())
}

/** Before this date (YYYYMMDD) lie the default dates of systems: 1900, 1970, and those of no assessment. */
export const EARLIEST_USUAL_DATE = 20_000_101
