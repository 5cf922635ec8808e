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

/** The width of a text in the head of the table. */
export type MeasureText = (text: string) => number

const TIGHT = { risk: 122, state: 100, reasons: 128, note: 56 } as const
const LEAST: Readonly<Record<TableRoom, Readonly<Partial<Record<ColumnKind, number>>>>> = {
  wide: {},
  tight: TIGHT,
  beside: { ...TIGHT, identifier: 96, reasons: 94 },
}
const LEAST_FIGURE = 56
/** A word of the file, such as Female, in a line of its own above what it means. */
const LEAST_WORD = 72
/** Of a cell, which has less of them in a tight table. */
const EDGES: Readonly<Record<TableRoom, number>> = { wide: 20, tight: 16, beside: 16 }

export function widthOf(
  { kind, width, label, isFigure }: Sized,
  room: TableRoom,
  measure: MeasureText,
): number {
  if (kind !== 'value') return LEAST[room][kind] ?? width
  const least = Math.ceil(widthInTwoLines(label.text, measure)) + EDGES[room]
  if (room === 'wide') return Math.max(width, least)
  return Math.max(isFigure ? LEAST_FIGURE : LEAST_WORD, least)
}

/** How wide the longer of two lines is, where the text is broken best. */
function widthInTwoLines(text: string, measure: MeasureText): number {
  const words = text.split(/\s+/)
  const breaks = words.map((_word, at) => {
    const lines = [words.slice(0, at + 1).join(' '), words.slice(at + 1).join(' ')]
    return Math.max(...lines.map(measure))
  })
  return Math.min(...breaks)
}
