/**
 * What the reader of cells does not tell about a spreadsheet: which sheets it has and which are hidden, hidden rows, merged
 * cells, and how a number is shown: `00000001` and not 1.
 */
import { strFromU8, unzipSync } from 'fflate'

export interface SheetName {
  readonly name: string
  readonly isHidden: boolean
}

export interface SheetLayout {
  /** Rows that are hidden or filtered out, by their numbers. */
  readonly hiddenLines: readonly number[]
  /** Areas such as `C3:C4`. Only their first cell has the value. */
  readonly merged: readonly string[]
  /** The text that a number is shown as, by its cell; only where it differs from the number. */
  readonly shown: ReadonlyMap<string, (value: number) => string>
}

type Attributes = Readonly<Record<string, string>>

export class XlsxParts {
  readonly sheets: readonly SheetName[]
  private readonly files: Readonly<Record<string, Uint8Array>>
  private readonly paths: ReadonlyMap<string, string>

  constructor(bytes: Uint8Array) {
    const isNeeded = /^xl\/(workbook\.xml|styles\.xml|_rels\/workbook\.xml\.rels|worksheets\/[^/]+)$/
    this.files = unzipSync(bytes, { filter: ({ name }) => isNeeded.test(name) })
    const targets = new Map(
      this.tagsOf('xl/_rels/workbook.xml.rels', 'Relationship')
        .filter(({ Type = '' }) => Type.endsWith('/worksheet'))
        .map(({ Id = '', Target = '' }) => [Id, Target.startsWith('/') ? Target.slice(1) : `xl/${Target}`]),
    )
    const sheets = this.tagsOf('xl/workbook.xml', 'sheet').filter((tag) => targets.has(tag['r:id'] ?? ''))
    this.sheets = sheets.map(({ name = '', state = '' }) => ({ name, isHidden: /hidden$/i.test(state) }))
    this.paths = new Map(sheets.map((tag) => [tag['name'] ?? '', targets.get(tag['r:id'] ?? '') ?? '']))
  }

  layoutOf(sheet: string): SheetLayout {
    const xml = this.textOf(this.paths.get(sheet) ?? '')
    const forms = this.forms()
    const cells = forms.size === 0 ? [] : tagsIn(xml, 'c')
    return {
      hiddenLines: tagsIn(xml, 'row').flatMap(({ hidden, r }) => (isOn(hidden) ? [Number(r)] : [])),
      merged: tagsIn(xml, 'mergeCell').flatMap(({ ref }) => ref ?? []),
      shown: new Map(
        cells.flatMap(({ r = '', s = '0', t = 'n' }) => {
          const form = forms.get(Number(s))
          return form === undefined || t !== 'n' ? [] : [[r, form]]
        }),
      ),
    }
  }

  /** The forms of the styles that are written in figures with zeros before them, by their place. */
  private forms(): ReadonlyMap<number, (value: number) => string> {
    const codes = new Map(
      this.tagsOf('xl/styles.xml', 'numFmt').map(({ numFmtId, formatCode = '' }) => [numFmtId, formatCode]),
    )
    const used = this.textOf('xl/styles.xml').split(/<(?:\w+:)?cellXfs\b/)[1] ?? ''
    return new Map(
      tagsIn(used.split(/<\/(?:\w+:)?cellXfs>/)[0] ?? '', 'xf').flatMap(({ numFmtId }, place) => {
        const form = formOf(codes.get(numFmtId) ?? '')
        return form === undefined ? [] : [[place, form]]
      }),
    )
  }

  private textOf(path: string): string {
    const file = this.files[path]
    return file === undefined ? '' : strFromU8(file)
  }

  private tagsOf(path: string, name: string): readonly Attributes[] {
    return tagsIn(this.textOf(path), name)
  }
}

function tagsIn(xml: string, name: string): readonly Attributes[] {
  const tags = new RegExp(`<(?:\\w+:)?${name}((?:\\s+[\\w:.-]+\\s*=\\s*(?:"[^"]*"|'[^']*'))*)\\s*/?>`, 'g')
  return [...xml.matchAll(tags)].map(([, text = '']) =>
    Object.fromEntries(
      [...text.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)].map(([, key = '', double, single]) => [
        key,
        plainText(double ?? single ?? ''),
      ]),
    ),
  )
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

function plainText(text: string): string {
  return text.replace(/&(#x?)?(\w+);/gi, (whole, number: string | undefined, name: string) =>
    number === undefined
      ? (ENTITIES.get(name) ?? whole)
      : String.fromCodePoint(parseInt(name, number.length > 1 ? 16 : 10)),
  )
}

function isOn(value: string | undefined): boolean {
  return value === '1' || value === 'true'
}

/**
 * How a whole number is shown by a format that pads it with zeros or writes something before it: `00000000`, `"H-"0000`.
 * Undefined for every other format: decimals, dates, and a unit after the number leave it a number.
 */
export function formOf(code: string): ((value: number) => string) | undefined {
  const [positive = ''] = code.split(';')
  const parts = positive
    .replace(/\[[^\]]*\]|_.|\*./g, '')
    .match(/"[^"]*"|\\.|[\s\S]/g)
    ?.map((part) => (part.length === 1 ? { part } : { part: part.replace(/^["\\]|"$/g, ''), isText: true }))
  const places = parts?.filter(({ part, isText }) => isText === undefined && /[0#]/.test(part)) ?? []
  const isPlain = parts?.every(({ part, isText }) => isText === true || /[0#\-/ ()]/.test(part)) ?? false
  const isPadded = places.filter(({ part }) => part === '0').length > 1 || parts?.[0] !== places[0]
  if (parts === undefined || places.length === 0 || !isPlain || !isPadded) return undefined
  return (value) => {
    if (!Number.isSafeInteger(value) || value < 0) return String(value)
    let rest = String(value)
    let left = places.length
    return parts
      .toReversed()
      .map((each) => {
        if (!places.includes(each)) return each.part
        // The first place takes all figures that are left.
        const at = --left === 0 ? 0 : Math.max(0, rest.length - 1)
        const figures = rest.slice(at)
        rest = rest.slice(0, at)
        return figures === '' && each.part === '0' ? '0' : figures
      })
      .toReversed()
      .join('')
  }
}
