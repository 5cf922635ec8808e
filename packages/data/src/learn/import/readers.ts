/** The formats of model files, and how a file is recognised. */
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { DataError } from '../../tables/data-error.ts'
import { readLightgbm } from './lightgbm.ts'
import { refuseFeatures } from './reading-budget.ts'
import { readPmml } from './pmml/read-pmml.ts'
import {
  type ModelReader,
  NotSupported,
  type ReadOptions,
  STATED,
  type SourceModel,
  type StatedOption,
} from './source.ts'
import { readXgboost } from './xgboost.ts'

const READERS: Readonly<Record<string, ModelReader>> = {
  xgboost: readXgboost,
  lightgbm: readLightgbm,
  pmml: readPmml,
}
export const FORMATS = [...Object.keys(READERS), 'coefficients']

const MOST_BYTES = 400_000_000
const HEAD_BYTES = 4_096

/** Recognises model files by their first bytes and tables by the extension. Undefined: not recognised. */
export function recognised(path: string): string | undefined {
  if (/\.(csv|tsv|ndjson|jsonl|parquet|xlsx)(\.gz|\.zst)?$/i.test(path)) return 'coefficients'
  const head = Buffer.alloc(HEAD_BYTES)
  const file = openSync(path, 'r')
  const text = head
    .toString('latin1', 0, readSync(file, head, 0, HEAD_BYTES, 0))
    .replace(/^ï»¿/, '')
    .trimStart()
  closeSync(file)
  // UBJSON has the type of its first length after the brace.
  if (/^\{["\s]/.test(text) || /^\{[iULlI]/.test(text)) return 'xgboost'
  if (/^tree\r?\n/.test(text)) return 'lightgbm'
  return text.startsWith('<') ? 'pmml' : undefined
}

interface ReadModel extends SourceModel {
  /** What the specification states for nothing. */
  readonly notes: readonly string[]
}

export function refuseLarge(bytes: number, path: string): void {
  if (bytes > MOST_BYTES) throw new DataError([`${path}: is larger than ${MOST_BYTES / 1e6} MB`])
}

export function readModelFile(path: string, format: string, options: ReadOptions): ReadModel {
  refuseLarge(statSync(path).size, path)
  const bytes = readFileSync(path)
  try {
    if (format === 'xgboost' && /^\{[iULlI]/.test(bytes.toString('latin1', 0, 2)))
      throw new NotSupported(
        'the file',
        'is XGBoost’s binary form (UBJ); save the model with a name that ends in .json',
      )
    const used = new Set<StatedOption>()
    const text = bytes.toString('utf8').replace(/^\uFEFF/, '')
    const model = (READERS[format] as ModelReader)(text, { ...options, used })
    refuseFeatures(model.features.length, 'the file')
    const unused = STATED.filter((key) => options[key] !== undefined && !used.has(key))
    const nameOf = (key: string): string => (key === 'codes' ? 'features, `order`' : key)
    return { ...model, notes: unused.map((key) => `import.${nameOf(key)}: the file does not need it`) }
  } catch (error) {
    throw error instanceof NotSupported ? new DataError([`${path}, ${error.message}`]) : error
  }
}
