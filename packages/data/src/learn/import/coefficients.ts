/** A table of coefficients: a specification says what its terms mean. */
import type { Catalog } from '@patient-risk/catalog'
import type { ModelDefinition } from 'patient-risk-engine/definition'
import { DataError } from '../../tables/data-error.ts'
import { readLabelled } from '../data/read-labelled.ts'
import { type Draft, draftModel, termsWith, withAbsence } from '../model/draft.ts'
import type { ModelSpecification } from '../data/specification.ts'

interface CoefficientTable {
  readonly path: string
  /** Whether columns were standardised: the table then has the mean and the scale of each. */
  readonly isScaled: boolean
  /** S0 at the horizon of a Cox model, which has no intercept. */
  readonly baseline?: number | undefined
}

/** Names that R, statsmodels and scikit-learn give to the constant. */
const INTERCEPTS = ['(intercept)', 'intercept', 'const', '(constant)']

/** Rows without an outcome and without fields. */
const TABLE = { data: { outcome: { column: null }, missing: [''] }, fields: [], domains: new Map() }

export async function readCoefficients(
  table: CoefficientTable,
  model: ModelSpecification,
  catalog: Catalog,
): Promise<Pick<ModelDefinition, 'terms' | 'link'>> {
  if (model.terms.length === 0)
    throw new DataError([
      'the specification has no `model.terms`; a table of coefficients needs them to say what its rows mean',
    ])
  const draft = draftModel(model, withAbsence(model), catalog)
  const { found, shift } = await readTable(table)
  const [intercept, ...values] = inOrder(draft, found, table)
  const terms = [...termsWith(draft.byTerm, values)]
  if (table.baseline === undefined)
    return { terms, link: { kind: 'logistic', intercept: (intercept ?? 0) - shift } }
  const baseline = Math.exp(Math.log(table.baseline) * Math.exp(-shift))
  return { terms, link: { kind: 'survival', baseline, rate: 1 } }
}

/** Names as programs join a feature and its code are also found by `template`. */
export async function termsIn(path: string): Promise<readonly string[]> {
  const names: string[] = []
  await readLabelled({ ...TABLE, path, extra: ['term'] }, ({ text }) => names.push(text('term')))
  return names.filter((name) => !INTERCEPTS.includes(name.toLowerCase()))
}

/** Coefficients by name. Those of standardised columns are turned back to the columns as they are; the means shift the sum. */
async function readTable({ path, isScaled }: CoefficientTable): Promise<{
  readonly found: Map<string, number>
  readonly shift: number
}> {
  const found = new Map<string, number>()
  let shift = 0
  const columns = ['term', 'estimate', ...(isScaled ? ['mean', 'scale'] : [])]
  await readLabelled({ ...TABLE, path, extra: columns }, ({ line, text }) => {
    const name = text('term').toLowerCase()
    const number = (column: string, otherwise?: number): number => {
      const cell = text(column)
      const value = cell === 'missing' ? otherwise : decimalIn(cell)
      if (value !== undefined && Number.isFinite(value)) return value
      throw new DataError([`${path}, line ${line}, column ${column}: is not a number`])
    }
    if (found.has(name)) throw new DataError([`${path}, line ${line}: the term occurs twice`])
    const mean = isScaled ? number('mean', 0) : 0
    const scale = isScaled ? number('scale', 1) : 1
    if (scale <= 0) throw new DataError([`${path}, line ${line}, column scale: is not above 0`])
    const estimate = number('estimate')
    found.set(name, estimate / scale)
    shift += (estimate * mean) / scale
  })
  return { found, shift }
}

/** Other programs write a decimal point: 1.234 is not a thousand. */
export function decimalIn(text: string): number {
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN
}

/** The coefficient of each column, intercept first. All coefficients of the file must be used. */
function inOrder(
  { columns, byTerm }: Draft,
  found: Map<string, number>,
  { path, baseline }: CoefficientTable,
): readonly number[] {
  const take = (wanted: readonly string[]): number | undefined => {
    const name = wanted.map((each) => each.toLowerCase()).find((each) => found.has(each))
    const value = name === undefined ? undefined : found.get(name)
    found.delete(name ?? '')
    return value
  }
  const intercept = baseline === undefined ? take(INTERCEPTS) : 0
  const values = byTerm.flatMap((unit) =>
    unit.map(({ name, term }) => {
      const field = 'field' in term ? term.field : ''
      return take([name, ...aliases(name, field, unit.length)])
    }),
  )
  const lost = columns.filter((_name, index) => values[index] === undefined)
  const code = lost.map((name) => / = (.*)$/.exec(name)?.[1]).find((each) => each !== undefined)
  const reasons = [
    intercept === undefined &&
      'there is no row for the intercept; name it (Intercept), const or intercept. A Cox model has none: give its `baseline` in `import`',
    lost.length > 0 && `no row gives ${lost.join('; ')}`,
    code !== undefined &&
      `if the data had no ${code}, either leave it out of the input ("values" of the input lists the codes that are permitted, and others are refused), or say in the term what it counts as: "unseen": { "${code}": { "of": "OTHER CODE", "times": 0.5 } }`,
    found.size > 0 && `the specification has no term for ${[...found.keys()].join('; ')}`,
  ].filter((reason) => reason !== false)
  if (reasons.length > 0) throw new DataError(reasons.map((reason) => `${path}: ${reason}`))
  return [intercept, ...values].map((value) => value ?? 0)
}

/** What a column may also be called: its field, or field and code as R, statsmodels and scikit-learn join them. */
function aliases(name: string, field: string, siblings: number): readonly string[] {
  const [, code] = / = (.*)$/.exec(name) ?? []
  if (code !== undefined) return [`${field}${code}`, `${field}[T.${code}]`, `${field}_${code}`]
  return siblings === 1 ? [field] : []
}
