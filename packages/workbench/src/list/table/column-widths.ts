/**
 * How wide the columns of the table are, in pixels. The values of the model fit at 1280 pixels, also beside the panel of a patient, and at
 * 1024 pixels.
 */
export type ColumnKind = 'row' | 'identifier' | 'risk' | 'state' | 'reasons' | 'note' | 'value' | 'extra'

interface Sized {
  readonly kind: ColumnKind
  readonly width: number
  readonly label: { readonly text: string }
  readonly isFigure: boolean
}

/** A wide page; one of 1024 pixels; or one with the overview or a patient beside the table. */
export type TableRoom = 'wide' | 'tight' | 'beside'

const TIGHT = { risk: 126, state: 104, reasons: 132, note: 88 } as const
const LEAST: Readonly<Record<TableRoom, Readonly<Partial<Record<ColumnKind, number>>>>> = {
  wide: {},
  tight: TIGHT,
  beside: { ...TIGHT, identifier: 100, reasons: 98 },
}
const LEAST_FIGURE = 56
/** A word of the file, such as Female, in a line of its own above what it means. */
const LEAST_WORD = 72
/** Of a letter in the head of the table, and of the edges of a cell. */
const LETTER = 7.8
const EDGES = 20

export function widthOf({ kind, width, label, isFigure }: Sized, room: TableRoom): number {
  if (kind !== 'value') return LEAST[room][kind] ?? width
  const least = Math.round(lettersInTwoLines(label.text) * LETTER) + EDGES
  if (room === 'wide') return Math.max(width, least)
  return Math.max(isFigure ? LEAST_FIGURE : LEAST_WORD, least)
}

/** How many letters the longer of two lines has, where the text is broken best. */
function lettersInTwoLines(text: string): number {
  const words = text.split(/\s+/)
  const breaks = words.map((_word, at) => {
    const lines = [words.slice(0, at + 1).join(' '), words.slice(at + 1).join(' ')]
    return Math.max(...lines.map((line) => line.length))
  })
  return Math.min(...breaks)
}
