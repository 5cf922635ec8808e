/**
 * `learn import` without files: a model that was fitted elsewhere. A specification says what its terms mean, a table gives their
 * coefficients, and rows with the risks of the original become the cases that ours must pass.
 */
import type { ModelCaseDefinition } from '../../definition/cases.ts'
import type { ModelDefinition } from '../../definition/model.ts'
import { roundRisk } from '../../engine/score/link.ts'
import { DataError } from '../data/data-error.ts'
import { readLabelled } from '../data/read-labelled.ts'
import { type GatherInput, type Setting, readerFor } from '../data/gather.ts'
import type { MadeModel } from '../report/report.ts'
import { type Draft, draftModel, modelWith, termsWith, withAbsence } from '../model/draft.ts'
import { MISSING_TEXTS, type ModelSpecification } from '../data/specification.ts'

export interface ImportInput extends Setting, Pick<GatherInput, 'data'> {
  readonly model: ModelSpecification
  /** A table with the columns term and estimate; with `isScaled` also mean and scale of each standardised column. */
  readonly coefficients: string
  readonly isScaled: boolean
  /** Rows with the inputs, and the risk that the original model gives to each. */
  readonly rows: string
  readonly expectedColumn: string
}

export interface ImportedModel extends Omit<MadeModel, 'report'> {
  readonly largestDifference: number
}

/** Names that R, statsmodels and scikit-learn give to the constant. */
const INTERCEPTS = ['(intercept)', 'intercept', 'const', '(constant)']
const SAME_RISK = 1e-6
const FEWEST_ROWS = 5
const MOST_ROWS = 200

const NOT_EVALUATED = 'Not evaluated here; run learn validate on your own outcomes.'
const DEVELOPMENT = 'Fitted elsewhere and imported; see the source.'
const WORDS = { development: DEVELOPMENT, calibration: NOT_EVALUATED, cost: NOT_EVALUATED }

export async function importModel(input: ImportInput): Promise<ImportedModel> {
  const { model, catalog } = input
  const draft = draftModel(model, withAbsence(model), catalog)
  const [intercept = 0, ...values] = inOrder(draft, await readCoefficients(input), input.coefficients)
  const definition = modelWith(model, termsWith(draft.byTerm, values), intercept, WORDS)
  return { definition, ...(await casesFrom(input, definition)) }
}

/** Coefficients by name. Those of standardised columns are turned back to the columns as they are. */
async function readCoefficients({ coefficients: path, isScaled }: ImportInput): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  let shift = 0
  const columns = ['term', 'estimate', ...(isScaled ? ['mean', 'scale'] : [])]
  const data = { outcome: { column: null }, missing: [''] }
  await readLabelled({ path, data, fields: [], domains: new Map(), extra: columns }, ({ line, text }) => {
    const name = text('term').toLowerCase()
    const number = (column: string, otherwise?: number): number => {
      const cell = text(column)
      const value = cell === 'missing' ? otherwise : decimalIn(cell)
      if (value !== undefined && Number.isFinite(value)) return value
      throw new DataError([`${path}, line ${line}, column ${column}: is not a number`])
    }
    if (found.has(name)) throw new DataError([`${path}, line ${line}: the term occurs twice`])
    const [mean, scale] = isScaled ? [number('mean', 0), number('scale', 1)] : [0, 1]
    const estimate = number('estimate')
    found.set(name, estimate / scale)
    shift += (estimate * mean) / scale
  })
  for (const [name, value] of found) if (INTERCEPTS.includes(name)) found.set(name, value - shift)
  return found
}

/** Other programs write a decimal point: 1.234 is not a thousand. */
function decimalIn(text: string): number {
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN
}

/** The coefficient of each column, intercept first. All coefficients of the file must be used. */
function inOrder({ columns, byTerm }: Draft, found: Map<string, number>, path: string): readonly number[] {
  const take = (wanted: readonly string[]): number | undefined => {
    const name = wanted.map((each) => each.toLowerCase()).find((each) => found.has(each))
    const value = name === undefined ? undefined : found.get(name)
    found.delete(name ?? '')
    return value
  }
  const intercept = take(INTERCEPTS)
  const values = byTerm.flatMap((unit) =>
    unit.map(({ name, term }) => {
      const field = 'field' in term ? term.field : ''
      return take([name, ...aliases(name, field, unit.length)])
    }),
  )
  const lost = columns.filter((_name, index) => values[index] === undefined)
  const reasons = [
    intercept === undefined && 'there is no row for the intercept; name it (Intercept), const or intercept',
    lost.length > 0 && `no row gives ${lost.join('; ')}`,
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

/** The rows as cases. Each must give the risk of the original. */
async function casesFrom(
  input: ImportInput,
  definition: ModelDefinition,
): Promise<Pick<ImportedModel, 'cases' | 'largestDifference'>> {
  const fields = Object.keys(definition.inputs)
  const { rows: path, expectedColumn } = input
  const { compiled, assess } = readerFor(input, definition)
  const cases: ModelCaseDefinition[] = []
  const reasons: string[] = []
  let largestDifference = 0
  // Rows with expected risks have no outcome, no patients and no exclusions.
  const { columns = {}, missing = [...MISSING_TEXTS], decimalComma = false } = input.data
  const data = { columns, missing, decimalComma, outcome: { column: null } }
  const source = { path, data, fields, domains: input.catalog.domains, extra: [expectedColumn] }
  await readLabelled(source, ({ line, record: given, text }) => {
    const record = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))
    const expected = decimalIn(text(expectedColumn))
    const outcome = assess(record)
    const risk = outcome.blocked ? Number.NaN : compiled.probability(outcome.score)
    const difference = Math.abs(risk - expected)
    if (!(difference <= SAME_RISK)) {
      const differ = Number.isNaN(expected)
        ? 'the difference cannot be computed: the expected risk is not a number'
        : `our risk and the expected one differ by ${difference.toExponential(1)}`
      const why = Number.isNaN(risk)
        ? `the model gives no risk: ${outcome.problems[0]?.field ?? ''} is missing or not permitted`
        : differ
      reasons.push(`${path}, line ${line}: ${why}`)
    }
    largestDifference = Math.max(largestDifference, difference)
    const name = `row ${cases.length + 1}`
    cases.push({ name, record, risk: roundRisk(risk), source: 'the original model' })
  })
  const advice = 'Check the meaning of the terms, the reference of each category and the units.'
  if (reasons.length > 0) throw new DataError([...reasons.slice(0, 10), advice])
  if (cases.length < FEWEST_ROWS || cases.length > MOST_ROWS)
    throw new DataError([
      `${path}: has ${cases.length} rows; ${FEWEST_ROWS} to ${MOST_ROWS} are needed, with every input at several values`,
    ])
  return { cases, largestDifference }
}
