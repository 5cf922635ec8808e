/**
 * What the reader of cells does not tell about a spreadsheet: which sheets it has and which are hidden, hidden rows, merged
 * cells, how a number is shown (`00000001` and not 1), and cells that have no value although they are not empty.
 */
import { strFromU8, unzipSync } from 'fflate'
import { SpreadsheetFault, type Workbook } from './spreadsheet.ts'
import { areTagsWellFormed } from './well-formed.ts'

/** The text that a number is shown as. */
type Form = (value: number) => string
type Tags = readonly Readonly<Record<string, string>>[]

/** All parts of a file together, unpacked. Some 50,000 rows of 50 columns; a small file can unpack to a thousand times its size. */
export const MOST_UNPACKED_BYTES = 100 * 2 ** 20
/** Rows times columns of a sheet, as its cells are numbered: one cell in the last corner makes a sheet of 17,000 million. */
export const MOST_CELLS = 5_000_000
/** Sheets, and whatever else a workbook names: far more than a workbook of people has. */
export const MOST_PARTS = 2_000

/** A sheet of a file. A hidden one is not read unless it is chosen, or there is no other. Cells are found by their `placeOf`. */
export function openWorkbook(
  bytes: Uint8Array,
  chosen: string | undefined,
): {
  readonly workbook: Workbook
  readonly forms: ReadonlyMap<string, Form>
  readonly valueless: ReadonlyMap<string, string>
} {
  if (unpackedBytes(bytes) > MOST_UNPACKED_BYTES) throw new SpreadsheetFault('tooLarge')
  const partOf = (path: string): string => {
    const xml = strFromU8(unzipSync(bytes, { filter: ({ name }) => name === path })[path] ?? new Uint8Array())
    if (!areTagsWellFormed(xml)) throw new SpreadsheetFault('damaged')
    return xml
  }
  const targets = tagsIn(partOf('xl/_rels/workbook.xml.rels'), 'Relationship')
  if (targets.length > MOST_PARTS) throw new SpreadsheetFault('tooLarge')
  const paths = new Map(targets.map(({ Id, Target = '' }) => [Id, Target.replace(/^\/?(xl\/)?/, 'xl/')]))
  const sheets = tagsIn(partOf('xl/workbook.xml'), 'sheet')
    .map(({ name = '', state = '', 'r:id': id }) => {
      return { name, isHidden: /hidden/i.test(state), path: paths.get(id) ?? '' }
    })
    // Charts are elsewhere.
    .filter(({ path }) => path.startsWith('xl/worksheets/'))
  const { name = '', path = '' } =
    sheets.find((each) => each.name === chosen) ?? sheets.find(({ isHidden }) => !isHidden) ?? sheets[0] ?? {}
  const xml = partOf(path)
  // The reader of cells reads these too.
  for (const other of paths.values())
    if (other.endsWith('.xml') && !other.startsWith('xl/worksheets/')) partOf(other)
  if (cellsOfArea(xml) > MOST_CELLS) throw new SpreadsheetFault('tooLarge')
  const styles = stylesOf(partOf('xl/styles.xml'))
  const hidden = tagsIn(xml, 'row', 'hidden', ['1', 'true'])
  const shown = styles.size === 0 ? [] : tagsIn(xml, 'c', 's', [...styles.keys()])
  return {
    workbook: {
      sheet: name,
      sheets,
      hiddenLines: hidden.map(({ r }) => Number(r)),
      is1904: /^(1|true)$/.test(tagsIn(partOf('xl/workbook.xml'), 'workbookPr')[0]?.['date1904'] ?? ''),
      merged: tagsIn(xml, 'mergeCell').flatMap(({ ref }) => ref ?? []),
    },
    forms: new Map(shown.map(({ r = '', s = '' }) => [placeNamed(r), styles.get(s) ?? String])),
    valueless: cellsWithoutValue(xml),
  }
}

/** Tags of cells, of their formulas and of their values, and the ends of cells. No tag holds a `<`, so the text is read once. */
const CELL_PART = /<(\/?)(?:\w+:)?([cfv])(?=[\s/>])([^<>]*)>/g
/** What stands in a cell whose formula was never computed. No field has it. */
const NOT_COMPUTED = '=?'

/**
 * The cells with an error, such as `#N/A`, and those with a formula whose value was not stored, by their place. The reader of cells
 * takes them for empty ones, and an empty cell is a missing value.
 */
function cellsWithoutValue(xml: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  let cell = ''
  let type = ''
  let isFormula = false
  let value: string | undefined
  const close = (): void => {
    if (type === 'e') found.set(placeNamed(cell), value ?? '#ERROR')
    // A formula may give an empty text, which is stored as such.
    else if (isFormula && (value ?? '') === '' && type !== 'str') found.set(placeNamed(cell), NOT_COMPUTED)
  }
  for (const { 0: tag, 1: slash, 2: name, 3: inside = '', index } of xml.matchAll(CELL_PART)) {
    const end = index + tag.length
    if (slash === '/') {
      if (name === 'c') close()
    } else if (name === 'c') {
      cell = /\sr\s*=\s*["']([A-Za-z]+\d+)["']/.exec(inside)?.[1] ?? ''
      type = /\st\s*=\s*["'](\w+)["']/.exec(inside)?.[1] ?? ''
      isFormula = false
      value = undefined
      if (inside.endsWith('/')) close()
    } else if (name === 'f') isFormula = true
    else if (!inside.endsWith('/')) value = plainText(xml.slice(end, xml.indexOf('<', end)))
  }
  found.delete('')
  return found
}

/** What the directory of the archive says. Neither reader unpacks more of a part than stands there. */
function unpackedBytes(bytes: Uint8Array): number {
  let sum = 0
  unzipSync(bytes, {
    filter: ({ originalSize }) => {
      sum += originalSize
      return false
    },
  })
  return sum
}

/** The size of the rectangle that holds every cell. A row or cell without a number comes after the one before it. */
function cellsOfArea(xml: string): number {
  const place = /<(?:\w+:)?(row|c)(?=[\s/>])(?:[^<>]*?\sr\s*=\s*["']([A-Z]*)(\d+)["'])?/gi
  let row = 0
  let column = 0
  let rows = 0
  let columns = 1
  for (const [, tag, letters = '', line = ''] of xml.matchAll(place)) {
    if (tag === 'row') {
      row = line === '' ? row + 1 : Number(line)
      column = 0
    } else {
      row = line === '' ? row : Number(line)
      column = letters === '' ? column + 1 : columnOf(letters)
    }
    rows = Math.max(rows, row)
    columns = Math.max(columns, column)
  }
  return rows * columns
}

/** A cell by its row and its column, from 1. */
export function placeOf(row: number, column: number): string {
  return `${row} ${column}`
}

/** The place of the cell B3; empty where it has no name. */
function placeNamed(name: string): string {
  const [, letters = '', row] = /^([A-Za-z]+)(\d+)$/.exec(name) ?? []
  return row === undefined ? '' : placeOf(Number(row), columnOf(letters))
}

/** 1 for A, 28 for AB. */
function columnOf(letters: string): number {
  let column = 0
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64
  return column
}

/** The forms of the cell styles that have one, by their place. */
function stylesOf(xml: string): ReadonlyMap<string, Form> {
  const forms = new Map(
    tagsIn(xml, 'numFmt').map(({ numFmtId, formatCode = '' }) => [numFmtId, formOf(formatCode)]),
  )
  const start = xml.search(/<(?:\w+:)?cellXfs\b/)
  const after = start < 0 ? '' : xml.slice(start)
  const used = after.slice(0, Math.max(0, after.search(/<\/(?:\w+:)?cellXfs>/)))
  return new Map(
    tagsIn(used, 'xf').flatMap(({ numFmtId }, place) => {
      const form = forms.get(numFmtId)
      return form === undefined ? [] : [[String(place), form]]
    }),
  )
}

/**
 * The attributes of all tags of a name, or of those where one of them has a certain value. No tag holds a `<`, so that each is
 * looked for up to the next one only: without that, tags that never end would each be read to the end of the file.
 */
function tagsIn(xml: string, name: string, key = '', values: readonly string[] = []): Tags {
  const having = key === '' ? '' : `(?=[^<>]*\\s${key}=["'](?:${values.join('|')})["'])`
  const tag = new RegExp(`<(?:\\w+:)?${name}${having}(\\s(?:[^<>"']|"[^"<]*"|'[^'<]*')*)?>`, 'g')
  return [...xml.matchAll(tag)].map(([, inside = '']) => {
    const pairs = inside.matchAll(/\s([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)
    return Object.fromEntries(
      [...pairs].map(([, at = '', one, other]) => [at, plainText(one ?? other ?? '')]),
    )
  })
}

const ENTITIES = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }))
const LAST_CHARACTER = 0x10ffff

function plainText(text: string): string {
  return text.replace(/&(#x?)?(\w+);/gi, (whole, number: string | undefined, name: string) => {
    if (number === undefined) return ENTITIES.get(name) ?? whole
    const code = parseInt(name, number.length > 1 ? 16 : 10)
    // A number of no character stays as it is written: one odd name does not make a file unreadable.
    return code <= LAST_CHARACTER ? String.fromCodePoint(code) : whole
  })
}

/** Spreadsheet programs take no longer one. */
const MOST_FORMAT = 255

/**
 * How a whole number is shown by a format that pads it with zeros or writes something before it: `00000000`, `"H-"0000`.
 * Undefined for every other format: decimals, dates, and a unit after the number leave it a number.
 */
export function formOf(code: string): Form | undefined {
  if (code.length > MOST_FORMAT) return undefined
  const format = (code.split(';')[0] ?? '').replace(/\[[^\]]*\]|_.|\*./g, '')
  const figures = format.replace(/"[^"]*"|\\./g, '')
  const isPadded = /0.*0/.test(figures) || (figures.includes('0') && /^["\\]/.test(format))
  if (!isPadded || !/^[0#\-/ ()]+$/.test(figures)) return undefined
  return (value) => {
    if (!Number.isSafeInteger(value) || value < 0) return String(value)
    let rest = String(value)
    let places = figures.replace(/[^0#]/g, '').length
    const parts = [...(format.match(/"[^"]*"|\\.|[\s\S]/g) ?? [])].reverse().map((part) => {
      if (part !== '0' && part !== '#') return part.replace(/^["\\]|"$/g, '')
      // The first place takes all figures that are left.
      places--
      const at = places === 0 ? 0 : Math.max(0, rest.length - 1)
      const shown = rest.slice(at)
      rest = rest.slice(0, at)
      return shown === '' && part === '0' ? '0' : shown
    })
    return parts.reverse().join('')
  }
}
