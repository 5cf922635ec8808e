/** Writes an XLSX file: numbers and days as such, everything else as text, which no program runs as a formula. Loaded on demand. */
import { Zip, ZipDeflate, strToU8 } from 'fflate'
import { pauses } from '../read/pauses.ts'
import { lettersOf } from '../read/sheet.ts'

export type OutCell = string | number | boolean | Date

export interface OutSheet {
  readonly name: string
  /** The first row holds the names of the columns, and stays in sight. */
  readonly rows: Iterable<readonly OutCell[]>
}

const DAY_MS = 86_400_000
const START = Date.UTC(1899, 11, 30)
const LONGEST_TEXT = 32_767
/** A longer cell in the format for text is shown as ##### by some programs. */
const LONGEST_FORMATTED = 255
const CHUNK_ROWS = 500

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const RELATIONS = `<Relationships xmlns="${PACKAGE}/relationships">`
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** Formats: plain, text, day, time, name of a column. */
const STYLES = `<styleSheet ${MAIN}><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="5"><xf/><xf numFmtId="49" applyNumberFormat="1"/><xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="165" applyNumberFormat="1"/><xf fontId="1" applyFont="1"/></cellXfs></styleSheet>`

/** The parts of the file, one after the other. The page stays responsive meanwhile. */
export async function writeXlsx(sheets: readonly OutSheet[]): Promise<readonly Uint8Array<ArrayBuffer>[]> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  const zip = new Zip((_fault, part) => parts.push(part.slice()))
  const add = (name: string): ZipDeflate => {
    const file = new ZipDeflate(name, { level: 3 })
    zip.add(file)
    return file
  }
  for (const [name, text] of Object.entries(fixedParts(sheets))) add(name).push(strToU8(HEAD + text), true)
  const pause = pauses()
  for (const [index, { rows }] of sheets.entries()) {
    const file = add(`xl/worksheets/sheet${index + 1}.xml`)
    let text = `${HEAD}<worksheet ${MAIN}><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/><cols><col min="1" max="64" width="16" customWidth="1"/></cols><sheetData>`
    let line = 0
    for (const row of rows) {
      line++
      text += `<row r="${line}">${row.map((cell, column) => cellXml(cell, column, line)).join('')}</row>`
      await pause()
      if (line % CHUNK_ROWS > 0) continue
      file.push(strToU8(text))
      text = ''
    }
    file.push(strToU8(`${text}</sheetData></worksheet>`), true)
  }
  zip.end()
  return parts
}

function fixedParts(sheets: readonly OutSheet[]): Readonly<Record<string, string>> {
  const each = (xml: (number: number, name: string) => string): string =>
    sheets.map(({ name }, index) => xml(index + 1, escaped(name))).join('')
  const relation = (id: number, type: string, target: string): string =>
    `<Relationship Id="rId${id}" Type="${OFFICE}/${type}" Target="${target}"/>`
  const part = (name: string, type: string): string =>
    `<Override PartName="/xl/${name}.xml" ContentType="${TYPE}.${type}+xml"/>`
  return {
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${part('workbook', 'sheet.main')}${part('styles', 'styles')}${each((number) => part(`worksheets/sheet${number}`, 'worksheet'))}</Types>`,
    '_rels/.rels': `${RELATIONS}${relation(1, 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `<workbook ${MAIN} xmlns:r="${OFFICE}"><sheets>${each((number, name) => `<sheet name="${name}" sheetId="${number}" r:id="rId${number}"/>`)}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${RELATIONS}${each((number) => relation(number, 'worksheet', `worksheets/sheet${number}.xml`))}${relation(sheets.length + 1, 'styles', 'styles.xml')}</Relationships>`,
    'xl/styles.xml': STYLES,
  }
}

function cellXml(cell: OutCell, column: number, line: number): string {
  const at = `r="${lettersOf(column)}${line}"`
  if (typeof cell === 'number' && Number.isFinite(cell)) return `<c ${at}><v>${cell}</v></c>`
  if (typeof cell === 'boolean') return `<c ${at} t="b"><v>${Number(cell)}</v></c>`
  if (cell instanceof Date) {
    const days = (cell.getTime() - START) / DAY_MS
    return `<c ${at} s="${Number.isInteger(days) ? 2 : 3}"><v>${days}</v></c>`
  }
  const text = String(cell)
  if (text === '') return ''
  const ofCell = text.length > LONGEST_FORMATTED ? 0 : 1
  const style = line === 1 ? 4 : ofCell
  return `<c ${at} s="${style}" t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`
}

const SIGNS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** What XML cannot hold is left out. `_x0041_` would be read as A, so its first sign is written in that form itself. */
function escaped(text: string): string {
  return text
    .slice(0, LONGEST_TEXT)
    .replace(/_(?=x[\da-f]{4}_)/gi, '_x005F_')
    .replace(/[^\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replace(/[&<>"]/g, (sign) => SIGNS[sign] ?? '')
}
