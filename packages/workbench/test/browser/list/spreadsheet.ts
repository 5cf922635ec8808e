/** Writes small spreadsheets for tests: several sheets, hidden ones, hidden rows, merged cells and number formats. */
import { createRequire } from 'node:module'

export type SheetCell = string | number | { readonly value: number; readonly format: string }

export interface SheetParts {
  readonly name: string
  readonly rows: readonly (readonly SheetCell[])[]
  readonly isHidden?: boolean
  /** Numbers of rows, from 1. */
  readonly hiddenRows?: readonly number[]
  readonly merged?: readonly string[]
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** A spreadsheet with one sheet of these rows, or with these sheets. */
export function xlsx(parts: SheetParts['rows'] | { readonly sheets: readonly SheetParts[] }): Buffer {
  const sheets = 'sheets' in parts ? parts.sheets : [{ name: 'a', rows: parts }]
  const formats: string[] = []
  const files: Record<string, string> = {
    '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${sheets
      .map(({ name, isHidden = false }, index) => {
        const state = isHidden ? ' state="hidden"' : ''
        return `<sheet name="${name}" sheetId="${index + 1}"${state} r:id="rId${index + 1}"/>`
      })
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${RELATIONS}">${sheets
      .map(
        (_sheet, index) =>
          `<Relationship Id="rId${index + 1}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${index + 1}.xml"/>`,
      )
      .join('')}</Relationships>`,
  }
  sheets.forEach((sheet, index) => {
    files[`xl/worksheets/sheet${index + 1}.xml`] = sheetXml(sheet, formats)
  })
  if (formats.length > 0) files['xl/styles.xml'] = stylesXml(formats)
  return zip(files)
}

function sheetXml({ rows, hiddenRows = [], merged = [] }: SheetParts, formats: string[]): string {
  const cellXml = (cell: SheetCell, place: string): string => {
    if (typeof cell === 'string') return `<c r="${place}" t="inlineStr"><is><t>${cell}</t></is></c>`
    if (typeof cell === 'number') return `<c r="${place}"><v>${cell}</v></c>`
    if (!formats.includes(cell.format)) formats.push(cell.format)
    return `<c r="${place}" s="${formats.indexOf(cell.format) + 1}"><v>${cell.value}</v></c>`
  }
  const rowXml = (cells: readonly SheetCell[], index: number): string => {
    const hidden = hiddenRows.includes(index + 1) ? ' hidden="1"' : ''
    const all = cells.map((cell, column) => cellXml(cell, `${String.fromCharCode(65 + column)}${index + 1}`))
    return `<row r="${index + 1}"${hidden}>${all.join('')}</row>`
  }
  const areas = merged.map((ref) => `<mergeCell ref="${ref}"/>`).join('')
  const merges = areas === '' ? '' : `<mergeCells>${areas}</mergeCells>`
  return `<worksheet xmlns="${MAIN}"><sheetData>${rows.map(rowXml).join('')}</sheetData>${merges}</worksheet>`
}

function stylesXml(formats: readonly string[]): string {
  const own = formats.map((code, index) => {
    return `<numFmt numFmtId="${170 + index}" formatCode="${code.replaceAll('"', '&quot;')}"/>`
  })
  const used = formats.map((_code, index) => `<xf numFmtId="${170 + index}"/>`)
  return `<styleSheet xmlns="${MAIN}"><numFmts>${own.join('')}</numFmts><cellStyleXfs><xf numFmtId="0"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${used.join('')}</cellXfs></styleSheet>`
}

function zip(files: Readonly<Record<string, string>>): Buffer {
  const require = createRequire(import.meta.resolve('read-excel-file/universal'))
  const { strToU8, zipSync } = require('fflate') as {
    strToU8: (text: string) => Uint8Array
    zipSync: (files: Record<string, Uint8Array>) => Uint8Array
  }
  const entries = Object.entries(files).map(([name, text]) => [name, strToU8(text)] as const)
  return Buffer.from(zipSync(Object.fromEntries(entries)))
}
