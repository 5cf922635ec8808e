/**
 * What the reader of cells does not tell about a spreadsheet: which sheets it has and which are hidden, hidden rows, merged
 * cells, and how a number is shown: `00000001` and not 1.
 */
import { strFromU8, unzipSync } from 'fflate'
import type { Workbook } from './sheet.ts'

/** The text that a number is shown as. */
type Form = (value: number) => string
type Files = Readonly<Record<string, Uint8Array>>
type Tags = readonly Readonly<Record<string, string>>[]

const NEEDED = /^xl\/(workbook\.xml|styles\.xml|_rels\/workbook\.xml\.rels|worksheets\/[^/]+)$/

/** A sheet of a file. A hidden one is not read unless it is chosen, or there is no other. */
export function openWorkbook(
  bytes: Uint8Array,
  chosen: string | undefined,
): { readonly workbook: Workbook; readonly forms: ReadonlyMap<string, Form> } {
  const files: Files = unzipSync(bytes, { filter: ({ name }) => NEEDED.test(name) })
  const targets = tagsIn(files, 'xl/_rels/workbook.xml.rels', 'Relationship')
  const paths = new Map(targets.map(({ Id, Target = '' }) => [Id, Target.replace(/^\/?(xl\/)?/, 'xl/')]))
  // What is not there is a chart.
  const sheets = tagsIn(files, 'xl/workbook.xml', 'sheet')
    .map(({ name = '', state = '', 'r:id': id }) => ({
      name,
      isHidden: /hidden/i.test(state),
      path: paths.get(id) ?? '',
    }))
    .filter(({ path }) => Object.hasOwn(files, path))
  const { name = '', path = '' } =
    sheets.find((each) => each.name === chosen) ?? sheets.find(({ isHidden }) => !isHidden) ?? sheets[0] ?? {}
  const hidden = tagsIn(files, path, 'row').filter((row) => /1|true/.test(row['hidden'] ?? ''))
  const styles = stylesOf(files)
  const cells = styles.size === 0 ? [] : tagsIn(files, path, 'c')
  return {
    workbook: {
      sheet: name,
      sheets,
      hiddenLines: hidden.map(({ r }) => Number(r)),
      merged: tagsIn(files, path, 'mergeCell').flatMap(({ ref }) => ref ?? []),
    },
    forms: new Map(
      cells.flatMap(({ r = '', s = '' }) => [...(styles.get(s) ?? [])].map((form) => [r, form])),
    ),
  }
}

/** The forms of the cell styles that have one, by their place. */
function stylesOf(files: Files): ReadonlyMap<string, readonly Form[]> {
  const path = 'xl/styles.xml'
  const forms = new Map(
    tagsIn(files, path, 'numFmt').map((tag) => [tag['numFmtId'], formOf(tag['formatCode'] ?? '')]),
  )
  const used = /<(?:\w+:)?cellXfs\b[\s\S]*?<\/(?:\w+:)?cellXfs>/
  return new Map(
    tagsIn(files, path, 'xf', used).flatMap(({ numFmtId }, place) => {
      const form = forms.get(numFmtId)
      return form === undefined ? [] : [[String(place), [form]]]
    }),
  )
}

/** The attributes of all tags of a name, in a part of a file where one is given. */
function tagsIn(files: Files, path: string, name: string, part = /[\s\S]*/): Tags {
  const text = strFromU8(files[path] ?? new Uint8Array())
  const tag = new RegExp(`<(?:\\w+:)?${name}((?:\\s+[\\w:.-]+\\s*=\\s*(?:"[^"]*"|'[^']*'))*)\\s*/?>`, 'g')
  return [...(part.exec(text)?.[0] ?? '').matchAll(tag)].map(([, inside = '']) => {
    const pairs = inside.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)
    return Object.fromEntries(
      [...pairs].map(([, key = '', one, other]) => [key, plainText(one ?? other ?? '')]),
    )
  })
}

const ENTITIES = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }))

function plainText(text: string): string {
  return text.replace(/&(#x?)?(\w+);/gi, (whole, number: string | undefined, name: string) =>
    number === undefined
      ? (ENTITIES.get(name) ?? whole)
      : String.fromCodePoint(parseInt(name, number.length > 1 ? 16 : 10)),
  )
}

/**
 * How a whole number is shown by a format that pads it with zeros or writes something before it: `00000000`, `"H-"0000`.
 * Undefined for every other format: decimals, dates, and a unit after the number leave it a number.
 */
export function formOf(code: string): Form | undefined {
  const format = (code.split(';')[0] ?? '').replace(/\[[^\]]*\]|_.|\*./g, '')
  const figures = format.replace(/"[^"]*"|\\./g, '')
  const isPadded = /0.*0/.test(figures) || (figures.includes('0') && /^["\\]/.test(format))
  if (!isPadded || !/^[0#\-/ ()]+$/.test(figures)) return undefined
  return (value) => {
    if (!Number.isSafeInteger(value) || value < 0) return String(value)
    let rest = String(value)
    let places = figures.replace(/[^0#]/g, '').length
    const parts = (format.match(/"[^"]*"|\\.|[\s\S]/g) ?? []).toReversed().map((part) => {
      if (part !== '0' && part !== '#') return part.replace(/^["\\]|"$/g, '')
      // The first place takes all figures that are left.
      const at = --places === 0 ? 0 : Math.max(0, rest.length - 1)
      const shown = rest.slice(at)
      rest = rest.slice(0, at)
      return shown === '' && part === '0' ? '0' : shown
    })
    return parts.toReversed().join('')
  }
}
