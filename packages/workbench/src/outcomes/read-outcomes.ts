/**
 * A list of what happened as the elements that the service takes. Only what can be read in one way is sent; every other row has a
 * problem of its own and is not counted.
 */
import { cellText } from '../list/match/convert-cell.ts'
import { plainName } from '../list/match/match-columns.ts'
import type { Cell, Sheet } from '../list/read/sheet.ts'

export type OutcomeKind = 'event' | 'none' | 'diedFirst' | 'unknown'

/** What a column of the list holds. The reader's own number for a patient is shown and never sent. */
export const PARTS = ['outcome', 'risk', 'digest', 'scored', 'group', 'was', 'identifier'] as const
export type Part = (typeof PARTS)[number]
export const NEEDED: readonly Part[] = ['outcome', 'risk', 'digest', 'scored']
export type Columns = Partial<Readonly<Record<Part, number>>>

export interface OutcomeElement {
  readonly idx: number
  readonly outcome: OutcomeKind
  readonly was?: OutcomeKind
  readonly risk: number | 'Yes' | 'No'
  readonly digest: string
  readonly scored: string
  readonly group?: string
}

/** Why a row is not sent. `empty`: nothing is said of this patient. */
export type RowFault = 'empty' | 'outcome' | 'was' | 'risk' | 'digest' | 'scored' | 'shifted'
export type ReadRow =
  | { readonly row: number; readonly element: OutcomeElement }
  | { readonly row: number; readonly fault: RowFault }

/** Words of English and Spanish, as plain names. A death alone is not here: it may be the event, or have come before it. */
const KINDS: Readonly<Record<OutcomeKind, readonly string[]>> = {
  event: ['event', 'yes', 'true', 'y', 'evento', 'si', 's', 'verdadero', 'reingreso', 'readmitted'],
  none: ['none', 'no', 'n', 'false', 'noevent', 'ninguno', 'nada', 'falso', 'sinevento'],
  diedFirst: [
    'diedfirst',
    'diedbefore',
    'fallecidoantes',
    'falleceantes',
    'murioantes',
    'muerteantes',
    'exitusantes',
  ],
  unknown: [
    'unknown',
    'notknown',
    'notfound',
    'lost',
    'desconocido',
    'desconocida',
    'noconocido',
    'noencontrado',
    'perdido',
    'noconsta',
  ],
}
const KIND_OF = new Map(
  Object.entries(KINDS).flatMap(([kind, words]) => words.map((word) => [word, kind as OutcomeKind] as const)),
)

/** Names of columns in English and Spanish, and those of the downloads of this page. */
const NAMES: Readonly<Record<Part, readonly string[]>> = {
  outcome: ['outcome', 'whathappened', 'happened', 'desenlace', 'queocurrio', 'ocurrio', 'resultado'],
  risk: ['risk', 'riesgo'],
  digest: ['digest', 'deploymentdigest', 'riskdeploymentdigest', 'huella'],
  scored: ['scored', 'scoredutc', 'calculado', 'mes', 'month'],
  group: ['group', 'ward', 'grupo', 'unidad'],
  was: ['was', 'before', 'antes', 'era'],
  identifier: ['id', 'patient', 'paciente', 'identifier', 'identificador', 'mrn', 'nhc', 'historia'],
}

export function suggestColumns(names: readonly string[]): Columns {
  const plain = names.map(plainName)
  const found: Partial<Record<Part, number>> = {}
  for (const part of PARTS) {
    const at = NAMES[part].map((name) => plain.indexOf(name)).find((each) => each >= 0)
    if (at !== undefined) found[part] = at
  }
  return found
}

/** What words say, by their plain names. */
type KindWords = ReadonlyMap<string, OutcomeKind>

/** `others` are words of other languages, where two say the same word, the first counts. */
export function readOutcomes(
  sheet: Sheet,
  columns: Columns,
  others: readonly (readonly [string, OutcomeKind])[] = [],
): readonly ReadRow[] {
  const kinds = new Map(KIND_OF)
  for (const [word, kind] of others) {
    const plain = plainName(word)
    if (!kinds.has(plain)) kinds.set(plain, kind)
  }
  return sheet.rows.map((cells, row) => {
    // Its cells may belong to other columns than the header says.
    if (sheet.rejected.has(row)) return { row, fault: 'shifted' }
    return readRow(cells, row, columns, kinds)
  })
}

function readRow(cells: readonly Cell[], row: number, columns: Columns, kinds: KindWords): ReadRow {
  const textOf = (part: Part): string => {
    const column = columns[part]
    return column === undefined ? '' : cellText(cells[column]).trim()
  }
  const fault = (found: RowFault): ReadRow => ({ row, fault: found })
  if (textOf('outcome') === '') return fault('empty')
  const kindOf = (part: Part): OutcomeKind | undefined => kinds.get(plainName(textOf(part)))
  const outcome = kindOf('outcome')
  if (outcome === undefined) return fault('outcome')
  const was = textOf('was') === '' ? undefined : kindOf('was')
  if (textOf('was') !== '' && was === undefined) return fault('was')
  const risk = riskOf(textOf('risk'))
  if (risk === undefined) return fault('risk')
  const digest = digestOf(textOf('digest'))
  if (digest === undefined) return fault('digest')
  const scored = monthOf(textOf('scored'))
  if (scored === undefined) return fault('scored')
  const group = textOf('group')
  const element: OutcomeElement = {
    idx: row + 1,
    outcome,
    ...(was === undefined ? {} : { was }),
    risk,
    digest,
    scored,
    ...(group === '' ? {} : { group }),
  }
  return { row, element }
}

/** A risk as the service answered it: a number with a point or a comma, or Yes or No. */
function riskOf(text: string): number | 'Yes' | 'No' | undefined {
  const plain = plainName(text)
  if (plain === 'yes' || plain === 'si') return 'Yes'
  if (plain === 'no') return 'No'
  return /^[01]?[.,]\d{1,6}$/.test(text) ? Number(text.replace(',', '.')) : undefined
}

function digestOf(text: string): string | undefined {
  if (/^sha-256=:[\w+/]{43}=:$/.test(text)) return text
  return /^[\w+/]{43}=$/.test(text) ? `sha-256=:${text}:` : undefined
}

/** The month of an ISO date or time, or a month alone. Other dates could be read in two ways. */
function monthOf(text: string): string | undefined {
  const [, year = '', month = ''] = /^(\d{4})-(0[1-9]|1[0-2])(?:$|-\d{2}(?:$|[T ]))/.exec(text) ?? []
  return year === '' ? undefined : `${year}-${month}`
}
