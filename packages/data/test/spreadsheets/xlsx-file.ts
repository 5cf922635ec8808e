/** Writes small spreadsheets for tests. A cell is a text, a number, or the XML inside of its tag. */
import { strToU8, zipSync } from 'fflate'

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** `xml` is what follows the place of the cell: `[' t="e"', '<v>#N/A</v>']`. */
export type XlsxCell = string | number | null | readonly [attributes: string, content: string]

/** A file with one sheet of these rows. A row that is null is left out, and the next one keeps its number. */
export function xlsxOf(rows: readonly (readonly XlsxCell[] | null)[]): Uint8Array {
  return zipSync({
    'xl/workbook.xml': strToU8(
      `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="a" sheetId="1" r:id="r1"/></sheets></workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': strToU8(
      `<Relationships><Relationship Id="r1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    ),
    'xl/worksheets/sheet1.xml': strToU8(
      `<worksheet xmlns="${MAIN}"><sheetData>${rows.map(rowXml).join('')}</sheetData></worksheet>`,
    ),
  })
}

function rowXml(cells: readonly XlsxCell[] | null, index: number): string {
  if (cells === null) return ''
  const all = cells.map((cell, column) => cellXml(cell, `${String.fromCharCode(65 + column)}${index + 1}`))
  return `<row r="${index + 1}">${all.join('')}</row>`
}

function cellXml(cell: XlsxCell, place: string): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return `<c r="${place}"><v>${cell}</v></c>`
  if (typeof cell === 'string') return `<c r="${place}" t="inlineStr"><is><t>${cell}</t></is></c>`
  const [attributes, content] = cell
  return `<c r="${place}"${attributes}>${content}</c>`
}
