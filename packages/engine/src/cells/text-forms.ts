/** How the texts of a column are written, as far as the column itself leaves no doubt. */

/** Forms of a date that an option names. DD-MM-YYYY and YYYY-MM-DD are always read. */
export const DATE_FORMS = ['DD/MM/YYYY', 'MM/DD/YYYY', 'DD.MM.YYYY'] as const
export type DateForm = (typeof DATE_FORMS)[number]

const AMBIGUOUS = /^[-+]?[1-9]\d{0,2}[.,]\d{3}$/
const PARTS = /^(\d{1,2})([/.])(\d{1,2})\2\d{4}$/
const MOST_MONTHS = 12

/** Whether the numbers have a decimal comma: one has a comma, none has a point, and none can be read in two ways. */
export function hasDecimalCommas(texts: readonly string[]): boolean {
  if (texts.some((text) => AMBIGUOUS.test(text) || text.includes('.'))) return false
  return texts.some((text) => /^[-+]?\d+,\d+$/.test(text))
}

/**
 * The form of the dates: a number above 12 shows which part is the day. Undefined where no date shows it, or where both parts do. With
 * points between them the day comes first everywhere.
 */
export function dateForm(texts: readonly string[]): DateForm | undefined {
  const parts = texts.flatMap((text) => {
    const [, first, sign, second] = PARTS.exec(text) ?? []
    return first === undefined ? [] : [{ first: Number(first), second: Number(second), sign }]
  })
  const isDayFirst = parts.every(({ second }) => second <= MOST_MONTHS)
  const isMonthFirst = parts.every(({ first }) => first <= MOST_MONTHS)
  if (parts.length > 0 && parts.every(({ sign }) => sign === '.'))
    return isDayFirst ? 'DD.MM.YYYY' : undefined
  if (isDayFirst === isMonthFirst || parts.some(({ sign }) => sign === '.')) return undefined
  return isDayFirst ? 'DD/MM/YYYY' : 'MM/DD/YYYY'
}

const SEPARATOR = /^\uFEFF?"?sep=(.)"?(\r\n|\r|\n)/i

/** The separator that spreadsheet programs name in a first line of its own, `sep=;`, and how long that line is. */
export function separatorIn(
  text: string,
): { readonly separator: string; readonly length: number } | undefined {
  const [line, separator] = SEPARATOR.exec(text) ?? []
  return line === undefined || separator === undefined ? undefined : { separator, length: line.length }
}
