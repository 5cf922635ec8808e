/** The options of the commands of `patient-risk learn`: the data, the model, and numbers. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Catalog, type CatalogModel, findModel } from '../../catalog/catalog.ts'
import { DataError } from '../../learn/data/data-error.ts'
import type { DataSpecificationType } from '../../learn/data/data-specification.ts'
import { SPECIFICATION_FILE, type Specification, readSpecification } from '../../learn/specification.ts'
import { UsageError } from '../command.ts'

export const DATA_OPTIONS = {
  data: { type: 'string' },
  specification: { type: 'string' },
  outcome: { type: 'string' },
  patient: { type: 'string' },
  group: { type: 'string', multiple: true },
  weights: { type: 'string' },
  'split-by': { type: 'string' },
  competing: { type: 'string' },
  'decimal-comma': { type: 'boolean' },
} as const

/** The options of a command that evaluates a model on outcomes. */
export const MODEL_OPTIONS = {
  ...DATA_OPTIONS,
  model: { type: 'string' },
  threshold: { type: 'string' },
  samples: { type: 'string' },
  seed: { type: 'string' },
} as const

type ModelWords = Readonly<Partial<Record<'model' | 'data' | 'threshold' | 'samples' | 'seed', string>>>

export interface ReadModelWords {
  readonly name: string
  readonly data: string
  readonly wanted: { readonly threshold?: number; readonly samples?: number; readonly seed?: number }
}

export function modelWords(words: ModelWords): ReadModelWords {
  const threshold = thresholdWord(words.threshold)
  const samples = wholeWord('samples', words.samples)
  const seed = wholeWord('seed', words.seed)
  return {
    name: required('model', words.model),
    data: required('data', words.data),
    wanted: {
      ...(threshold === undefined ? {} : { threshold }),
      ...(samples === undefined ? {} : { samples }),
      ...(seed === undefined ? {} : { seed }),
    },
  }
}

interface DataWords {
  readonly specification?: string | undefined
  readonly outcome?: string | undefined
  readonly patient?: string | undefined
  readonly group?: readonly string[] | undefined
  readonly weights?: string | undefined
  readonly 'split-by'?: string | undefined
  readonly competing?: string | undefined
  readonly 'decimal-comma'?: boolean | undefined
}

/**
 * The given specification, or the one in the model's own folder, or, with the name of an outcome alone, columns named
 * like the fields and an outcome of 1 or 0.
 */
export function specificationWords(words: DataWords, model?: CatalogModel): Specification {
  const more = dataWords(words)
  const path = words.specification ?? (words.outcome === undefined ? specificationOf(model) : undefined)
  if (path !== undefined) {
    const specification = readSpecification(path)
    return { ...specification, data: { ...specification.data, ...more } }
  }
  if (words.outcome === undefined)
    throw new UsageError('--specification FILE or --outcome COLUMN is required.')
  const outcome = { column: words.outcome, yes: YES, no: ['0', 'false', 'no', 'No'] }
  return { data: { outcome, ...more } }
}

const YES = ['1', 'true', 'yes', 'Yes']

/** What the options say of the data, over what a specification says. */
export function dataWords(words: DataWords): Partial<DataSpecificationType> {
  return {
    ...(words.patient === undefined ? {} : { patient: words.patient }),
    ...(words.group === undefined ? {} : { groups: [...words.group] }),
    ...(words.weights === undefined ? {} : { weights: words.weights }),
    ...(words['split-by'] === undefined ? {} : { splitBy: words['split-by'] }),
    ...(words.competing === undefined ? {} : { competing: { column: words.competing, values: YES } }),
    ...(words['decimal-comma'] === true ? { decimalComma: true } : {}),
  }
}

/** The same for a command that needs no outcome: records in service have none yet. */
export function withoutOutcome(words: DataWords): DataSpecificationType {
  const { specification, outcome } = words
  if (specification !== undefined || outcome !== undefined) return specificationWords(words).data
  return { ...specificationWords({ ...words, outcome: '' }).data, outcome: { column: null } }
}

/** A fitted model keeps its specification in its folder. */
function specificationOf(model: CatalogModel | undefined): string | undefined {
  if (model === undefined) return undefined
  const path = join(dirname(model.file), SPECIFICATION_FILE)
  return existsSync(path) ? path : undefined
}

export function required(name: string, value: string | undefined): string {
  if (value === undefined) throw new UsageError(`--${name} is required.`)
  return value
}

export function numberWord(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const number = Number(value)
  if (value.trim() === '' || !Number.isFinite(number)) throw new UsageError(`--${name} takes a number.`)
  return number
}

/** A risk between 0 and 1, both excluded: there nobody, or everybody, would be flagged. */
export function thresholdWord(value: string | undefined): number | undefined {
  const number = numberWord('threshold', value)
  if (number !== undefined && (number <= 0 || number >= 1))
    throw new UsageError('--threshold takes a risk between 0 and 1, for example 0.15.')
  return number
}

/** Samples and seed: whole numbers, not below 0. */
export function wholeWord(name: string, value: string | undefined): number | undefined {
  const number = numberWord(name, value)
  if (number !== undefined && (!Number.isInteger(number) || number < 0))
    throw new UsageError(`--${name} takes a whole number, 0 or more.`)
  return number
}

export function modelNamed(catalog: Catalog, name: string): CatalogModel {
  const model = findModel(catalog, name)
  if (model !== undefined) return model
  throw new DataError([`there is no model ${name}; there are ${[...catalog.models.keys()].join(', ')}`])
}
