/**
 * `learn import` without files: a model that was made elsewhere. A specification says what its features or terms mean, and every row
 * must come out with the prediction of the original.
 */
import {
  checkModel,
  fieldsOf,
  FaultList,
  faultLine,
  type ModelDefinition,
} from 'patient-risk-engine/definition'
import { DataError } from '../../tables/data-error.ts'
import type { GatherInput } from '../data/gather.ts'
import { type ImportPart, type ModelSpecification, TODO } from '../data/specification.ts'
import { readCoefficients } from '../import/coefficients.ts'
import { type Proof, type ProveInput, proveRows } from '../import/prove-rows.ts'
import { readModelFile } from '../import/readers.ts'
import type { ReadOptions } from '../import/source.ts'
import { convertTerms } from '../import/convert-terms.ts'
import { workedCases } from '../import/worked-cases.ts'
import { modelWith } from '../model/draft.ts'
import type { MadeModel } from '../report/report.ts'

export interface ImportInput extends GatherInput {
  readonly model: ModelSpecification
  readonly part?: ImportPart | undefined
  readonly file: string
  readonly format: string
  readonly isScaled: boolean
  readonly expectedColumn: string
}

export interface ImportedModel extends Omit<MadeModel, 'report'> {
  readonly proof: Proof
  readonly notes: readonly string[]
}

const NOT_EVALUATED = 'Not evaluated here; run learn validate on your own outcomes.'
const WORDS = { calibration: NOT_EVALUATED, cost: NOT_EVALUATED }
const ADVICE = 'Check the meaning of each feature or term, the reference of each category, and the units.'

const POINTS = 'If the file gives points and no risk, say in import.link how they become one.'

export async function importModel(input: ImportInput): Promise<ImportedModel> {
  const { model, catalog, format } = input
  const {
    tool = 'a table of coefficients',
    notes = [],
    hints = [],
    ...made
  } = await (format === 'coefficients' ? fromTable(input) : fromFile(input))
  const development = `Made elsewhere and imported from ${tool}; see the source.`
  const withProfile = (profile?: Proof['profile']): ModelDefinition => ({
    ...modelWith(
      { ...model, inputs: made.inputs },
      made.terms,
      0,
      { ...WORDS, development },
      profile && { profile },
    ),
    link: made.link,
  })
  const definition = withProfile()
  const faults = new FaultList('the imported model')
  checkModel(definition, catalog, faults)
  const lines = faults.faults.map(faultLine)
  if (lines.length > 0) throw new DataError(made.link.kind === 'identity' ? [...lines, POINTS] : lines)
  refuseDraftFields(definition, input)
  const rowsAre = input.part?.rows
  const asked = { ...input, rowsAre, hints: [...hints, ADVICE] }
  const proof = await proveByFieldsOrFeatures(asked, definition)
  const cases = workedCases(proof.run, catalog.domains)
  return { definition: withProfile(proof.profile), cases, proof, notes }
}

/**
 * Rows have the fields under their own names, or as the features that `import` maps to them: the mapping is written once. Features that
 * are not the field itself, such as one code of it, name no column.
 */
async function proveByFieldsOrFeatures(
  input: ImportInput & ProveInput,
  definition: ModelDefinition,
): Promise<Proof> {
  const { data, part } = input
  const renamed = Object.entries(part?.features ?? {}).flatMap(([column, { field, is, values, order }]) =>
    field === undefined || (is ?? values ?? order) !== undefined ? [] : [[field, { column }] as const],
  )
  const columns = { ...Object.fromEntries(renamed), ...data.columns }
  return proveRows(input, definition).catch((error: unknown) => {
    const isLost = error instanceof DataError && error.kind === 'missing-column'
    if (!isLost || renamed.length === 0) throw error
    return proveRows({ ...input, data: { ...data, columns } }, definition).catch((other: unknown) => {
      throw other instanceof DataError && other.kind === 'missing-column' ? error : other
    })
  })
}

/** A draft of a field is not a field before somebody has said what it means. */
function refuseDraftFields({ inputs }: ModelDefinition, { catalog }: ImportInput): void {
  const open = Object.keys(inputs).filter((name) =>
    JSON.stringify(catalog.fields.get(name) ?? {}).includes(`"${TODO}`),
  )
  if (open.length > 0)
    throw new DataError(open.map((name) => `fields.json, ${name}: replace the texts that begin with ${TODO}`))
}

interface Made extends Pick<ModelDefinition, 'inputs' | 'terms' | 'link'> {
  readonly tool?: string
  readonly notes?: readonly string[]
  readonly hints?: readonly string[]
}

async function fromTable({ file: path, isScaled, part, model, catalog }: ImportInput): Promise<Made> {
  const { baseline, ...others } = part ?? {}
  const table = { path, isScaled, baseline }
  const unused = Object.keys(others).filter((key) => key !== 'rows')
  const notes = unused.map((key) => `import.${key}: a table of coefficients does not need it`)
  return { inputs: model.inputs, notes, ...(await readCoefficients(table, model, catalog)) }
}

function fromFile({ file, format, part = {}, model, catalog }: ImportInput): Made {
  if (model.terms.length > 0)
    throw new DataError(['the specification has `model.terms`; a model file has its own, so leave them out'])
  const mayBeAbsent = (feature: string): boolean =>
    model.inputs[part.features?.[feature]?.field ?? feature]?.whenAbsent === null
  const source = readModelFile(file, format, { ...readOptions(part), mayBeAbsent })
  const { terms, notes } = convertTerms(source, { catalog, model, features: part.features ?? {} })
  const used = new Set(terms.flatMap(fieldsOf))
  const isLeftOut = (name: string): boolean => {
    const { from, to, values } = model.inputs[name] ?? {}
    return !used.has(name) && (from ?? to ?? values) === undefined
  }
  const names = Object.keys(model.inputs)
  const unused = names
    .filter(isLeftOut)
    .map((name) => `${name}: the model does not use it, so it is not an input`)
  const inputs = Object.fromEntries(Object.entries(model.inputs).filter(([name]) => !isLeftOut(name)))
  return {
    inputs,
    terms: [...terms],
    link: source.link,
    tool: source.tool,
    notes: [...source.notes, ...notes, ...unused],
    hints: [...(source.ifRowsDiffer ?? []), ...source.notes],
  }
}

/** What the specification tells a reader. */
export function readOptions({ features = {}, ...rest }: ImportPart): ReadOptions {
  const codes = Object.entries(features).flatMap(([name, { order }]) =>
    order ? [[name, order] as const] : [],
  )
  return { ...rest, ...(codes.length > 0 && { codes: new Map(codes) }) }
}
