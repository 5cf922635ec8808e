/** How wide a text is in the head of the table, with the font of this browser: a narrow letter takes a third of a wide one. */
import type { MeasureText } from './column-widths.ts'

/** That of `.sort` in list-table.css. */
const WEIGHT_AND_SIZE = '600 12px'

export function measureHead(): MeasureText {
  const context = document.createElement('canvas').getContext('2d')
  if (context === null) throw new Error('a canvas has no context')
  context.font = `${WEIGHT_AND_SIZE} ${getComputedStyle(document.body).fontFamily}`
  return (text) => context.measureText(text).width
}
