/** How wide the columns of the table are, in pixels. Beside the panel of a patient, the values of the model still fit at 1280 pixels. */
import type { GridColumn } from './grid-columns.ts'

type Sized = Pick<GridColumn, 'kind' | 'width' | 'label'>

/** The panel has the reasons too. */
const BESIDE_PANEL: Readonly<Partial<Record<GridColumn['kind'], number>>> = { state: 96, reasons: 140 }
const LEAST_VALUE = 56
/** Of a letter in the head of the table, and of the edges of a cell. */
const LETTER = 7
const EDGES = 18

export function widthOf({ kind, width, label }: Sized, hasPanel: boolean): number {
  if (!hasPanel) return width
  if (kind !== 'value') return BESIDE_PANEL[kind] ?? width
  const longest = Math.max(...label.text.split(/\s+/).map((word) => word.length))
  return Math.min(width, Math.max(LEAST_VALUE, longest * LETTER + EDGES))
}
