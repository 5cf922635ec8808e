/** The options that several commands of `patient-risk learn` share, and what they say of the data. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Catalog, type CatalogModel, findModel, given } from '@patient-risk/catalog'
import {
  type DataSpecificationType,
  SPECIFICATION_FILE,
  type Specification,
  readSpecification,
} from '@patient-risk/data/learn'
import { DataError } from '@patient-risk/data/tables'
import { unknownName } from '../catalog/load-catalog.ts'
import { UsageError } from '../command.ts'

/** What the options say of the data, over what a specification says. */
export const OVERRIDES = ['patient', 'weights', 'competing'] as const
export const DATA = ['data', 'specification', 'outcome', ...OVERRIDES] as const
/** Times of follow-up, in place of an outcome. */
export const FOLLOW_UP = ['time', 'status'] as const
export const SAMPLES = { samples: 'whole', seed: 'whole' } as const

type Texts = Exclude<(typeof DATA)[number], 'data'> | 'split-by' | (typeof FOLLOW_UP)[number]
type DataValues = Readonly<Partial<Record<Texts, string>>> & {
  readonly group?: readonly string[]
  readonly 'decimal-comma'?: boolean
}

const YES = ['1', 'true', 'yes', 'Yes']
const NO = ['0', 'false', 'no', 'No']

export function overridesIn(values: DataValues): Partial<DataSpecificationType> {
  const { patient, group, weights, 'split-by': splitBy, 'decimal-comma': decimalComma } = values
  const competing = values.competing === undefined ? undefined : { column: values.competing, values: YES }
  return given({ patient, groups: group && [...group], weights, splitBy, competing, decimalComma })
}

/**
 * The given specification, or the one in the model's own folder, or, with the name of an outcome alone, columns named
 * like the fields and an outcome of 1 or 0. Where `unlabelled`, the rows need no outcome: records in service have none,
 * nor the other columns that only learning reads.
 */
export function specificationIn(values: DataValues, model?: CatalogModel, unlabelled = false): Specification {
  const { outcome } = values
  const kept = model && join(dirname(model.file), SPECIFICATION_FILE)
  const isKept = outcome === undefined && kept !== undefined && existsSync(kept)
  const path = values.specification ?? (isKept ? kept : undefined)
  const specification = path === undefined ? undefined : readSpecification(path)
  const followUp = followUpIn(values, specification)
  const more = { ...overridesIn(values), ...(followUp && { followUp, outcome: { column: null } }) }
  if (unlabelled && values.specification === undefined && outcome === undefined) {
    const { columns, exclude, missing, decimalComma } = specification?.data ?? {}
    return {
      data: { outcome: { column: null }, ...given({ columns, exclude, missing, decimalComma }), ...more },
    }
  }
  if (specification !== undefined) return { ...specification, data: { ...specification.data, ...more } }
  if (followUp !== undefined) return { data: { outcome: { column: null }, ...more } }
  if (outcome !== undefined) return { data: { outcome: { column: outcome, yes: YES, no: NO }, ...more } }
  throw new UsageError('--specification FILE or --outcome COLUMN is required.')
}

/** The columns of follow-up times, where these are asked for in place of an outcome. */
function followUpIn(
  { time, status }: DataValues,
  specification: Specification | undefined,
): DataSpecificationType['followUp'] {
  const { followUp, outcome } = specification?.data ?? {}
  const isAsked = time !== undefined || (followUp !== undefined && outcome?.column === null)
  if (!isAsked && status !== undefined)
    throw new UsageError('--status goes with --time COLUMN, the days of follow-up.')
  if (!isAsked) return undefined
  const columns = { ...followUp, ...given({ time, status }) }
  if (columns.status === undefined)
    throw new UsageError('--time goes with --status COLUMN, which says what ended the follow-up.')
  return columns
}

const NOT_WITH_TIMES = ['outcome', 'competing', 'threshold'] as const

/** Options that say nothing where times of follow-up are given. */
export function refuseWithTimes(
  values: Readonly<Partial<Record<(typeof NOT_WITH_TIMES)[number], unknown>>>,
): void {
  const wrong = NOT_WITH_TIMES.find((name) => values[name] !== undefined)
  if (wrong === undefined) return
  const instead = wrong === 'threshold' ? 'they give no table of thresholds' : 'the status says it'
  throw new UsageError(`--${wrong} does not go with times of follow-up: ${instead}.`)
}

export function madeSpecification(
  path: string,
  how: 'fitted' | 'imported',
): Specification & Required<Pick<Specification, 'model'>> {
  const specification = readSpecification(path)
  const { model } = specification
  if (model === undefined) throw new DataError([`${path}: has no \`model\` to be ${how}`])
  if (how === 'fitted' && model.terms.length === 0)
    throw new DataError([`${path} at /model: has no \`terms\` to be fitted`])
  return { ...specification, model }
}

export function modelNamed(catalog: Catalog, name: string): CatalogModel {
  const model = findModel(catalog, name)
  if (model !== undefined) return model
  throw unknownName('model', name, catalog.models.keys())
}
