/** How wide the columns of the table are, in pixels. Beside the panel of a patient, the values of the model still fit at 1280 pixels. */
export type ColumnKind = 'row' | 'identifier' | 'risk' | 'state' | 'reasons' | 'note' | 'value' | 'extra'

interface Sized {
  readonly kind: ColumnKind
  readonly width: number
  readonly label: { readonly text: string }
}

/** The panel has the reasons too. */
const BESIDE_PANEL: Readonly<Partial<Record<ColumnKind, number>>> = {
  risk: 116,
  state: 104,
  reasons: 132,
}
const LEAST_VALUE = 56
/** Of a letter in the head of the table, and of the edges of a cell. */
const LETTER = 7.8
const EDGES = 20

export function widthOf({ kind, width, label }: Sized, hasPanel: boolean): number {
  if (kind !== 'value') return hasPanel ? (BESIDE_PANEL[kind] ?? width) : width
  const least = Math.round(lettersInTwoLines(label.text) * LETTER) + EDGES
  return Math.max(hasPanel ? LEAST_VALUE : width, least)
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
