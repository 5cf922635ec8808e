/** What the options of `score` mean, each checked on its own. */
import { readFileSync } from 'node:fs'
import {
  type AnswerSource,
  CHANGE_COLUMN,
  PART_COLUMNS,
  RESULT_PARTS,
  type ResultPart,
  type RunInput,
  SOURCE_COLUMNS,
  type ColumnOptions,
} from '@patient-risk/data/bulk'
import { type Catalog, type Deployment, digestText, findModel, makeDeployments } from '@patient-risk/catalog'
import type { DeploymentSettings } from '@patient-risk/catalog/config'
import { codesWith } from 'patient-risk-engine'
import { DATE_FORMS } from 'patient-risk-engine/cells'
import { parseJson } from 'patient-risk-engine/read'
import type { DataSpecificationType } from '@patient-risk/data/learn'
import {
  decimalMark,
  FORMATS,
  type Format,
  formatOf,
  isTextFormat,
  ENCODINGS,
  STANDARD_INPUT,
  listInputs,
} from '@patient-risk/data/tables'
import { type Loaded, loadOrRefusal, unknownName } from '../catalog/load-catalog.ts'
import { codesIn } from '../codes-file.ts'
import { type OptionValues, Refusal, UsageError, faultsText } from '../command.ts'
import { nearNames } from 'patient-risk-engine/definition'

const FRACTION = /^(\d+|\d*\.\d+)(e-?\d{1,3})?$/i

const TABLE_TEXTS = ['id', 'key', 'specification', 'delimiter', 'encoding', 'dates'] as const
const TABLE_FLAGS = ['decimal-comma', 'decimal-point'] as const
const RUN_TEXTS = ['output', 'output-dir', 'from', 'to', 'errors', 'idx', 'fail-on', 'threads'] as const
/** The options that say which model answers, and how. */
export const MODEL_TEXTS = ['deployment', 'model', 'output-kind', 'threshold'] as const

export const SCORE_OPTIONS = {
  texts: [...MODEL_TEXTS, ...RUN_TEXTS, ...TABLE_TEXTS, 'codes', 'language'],
  lists: ['map', 'keep', 'missing'],
  flags: [
    'accept-doubts',
    'number',
    'source',
    'changed',
    'remove-gone',
    'resume',
    'quiet',
    ...RESULT_PARTS,
    ...TABLE_FLAGS,
  ],
} as const
export type ScoreValues = OptionValues<typeof SCORE_OPTIONS>

/** The files to score. Options that only tables have are refused where one of them is not a table. */
export function inputsFor(positionals: readonly string[], values: ScoreValues): readonly RunInput[] {
  const paths = listInputs(positionals, (path) => formatOf(path).format !== undefined)
  const inputs = paths.map((path) => ({ path, format: inputFormat(values.from, path) }))
  const given = [...TABLE_TEXTS, 'missing', ...TABLE_FLAGS].find((name) => name in values)
  if (given === undefined || !inputs.some(({ format }) => isTextFormat(format))) return inputs
  const instead =
    given === 'id' ? ' Number the records with --number, and keep the identifier with --keep.' : ''
  throw new UsageError(`--${given} is for CSV, Parquet and XLSX.${instead}`)
}

function inputFormat(given: string | undefined, path: string): Format {
  if (given !== undefined) return oneOf(FORMATS, given, '--from')
  return path === STANDARD_INPUT ? 'ndjson' : named(formatOf(path).format, path, '--from')
}

export function oneOf<T extends string>(known: readonly T[], given: string, option: string): T {
  const found = known.find((each) => each === given)
  if (found === undefined) throw new UsageError(`${option} takes ${known.join(', ')}.`)
  return found
}

export function named<T>(format: T | undefined, path: string, option: string): T {
  if (format === undefined)
    throw new UsageError(`The name ${path} does not show its format; give it with ${option}.`)
  return format
}

export function deploymentFor(values: ScoreValues): Loaded & { readonly deployment: Deployment } {
  const loaded = loadOrRefusal()
  const { config, catalog } = loaded
  const { deployments, faults } = makeDeployments(
    catalog,
    [withCodesOf(values, settingsFor(values, config.deployments))],
    config.timeZone,
  )
  const [deployment] = deployments
  // Codes at fault leave a deployment, which would read the file without them.
  if (values.codes !== undefined && faults.length > 0) throw new Refusal(faultsText(faults))
  if (deployment !== undefined) return { ...loaded, deployment }
  const { model } = values
  if (model === undefined || findModel(catalog, model)) throw new Refusal(faultsText(faults))
  throw unknownName('model', model, catalog.models.keys())
}

/** The codes of a file take the place of the deployment's, field by field, as those of a key do. */
function withCodesOf({ codes }: ScoreValues, settings: DeploymentSettings): DeploymentSettings {
  if (codes === undefined) return settings
  return { ...settings, codes: codesWith(settings.codes ?? {}, codesIn(codes)) }
}

function withModelOnly(option: string): UsageError {
  return new UsageError(
    `${option} goes with --model only: a deployment has its own in the configuration. Name the model, or leave ${option} out.`,
  )
}

function settingsFor(values: ScoreValues, deployments: readonly DeploymentSettings[]): DeploymentSettings {
  const { deployment, model, threshold } = values
  const kind = values['output-kind']
  if (model === undefined) {
    if (threshold !== undefined) throw withModelOnly('--threshold')
    if (kind !== undefined) throw withModelOnly('--output-kind')
    const found = deployments.find(({ name }) => deployment === undefined || name === deployment)
    if (found !== undefined) return found
    throw new UsageError(
      `There is no deployment ${deployment}. There are ${deployments.map(({ name }) => name).join(', ')}.`,
    )
  }
  if (deployment !== undefined) throw new UsageError('Give either --deployment or --model.')
  const output = oneOf(['number', 'yes-no'], kind ?? 'number', '--output-kind')
  if (threshold === undefined) return { name: 'score', basePath: '/', model, output }
  if (!FRACTION.test(threshold) || Number(threshold) > 1)
    throw new UsageError('--threshold takes a number from 0 to 1, for example 0.15.')
  if (output === 'number') throw new UsageError('--threshold goes with --output-kind yes-no; give that too.')
  return { name: 'score', basePath: '/', model, output, threshold: Number(threshold) }
}

/** Our names to theirs. */
export function mapOf(values: ScoreValues, catalog: Catalog): ReadonlyMap<string, string> {
  const map = new Map<string, string>()
  for (const each of values.map ?? []) {
    const equals = each.indexOf('=')
    if (equals > 0) map.set(each.slice(0, equals), each.slice(equals + 1))
    else for (const [ours, theirs] of mapFile(each)) map.set(ours, theirs)
  }
  if (values.idx !== undefined) map.set('idx', values.idx)
  const known = ['idx', ...catalog.domains.keys()]
  for (const [ours, theirs] of map) {
    if (theirs === '') throw new UsageError(`--map ${ours}= names no column.`)
    if (!known.includes(ours)) {
      const near = nearNames(ours, known)
      const meant = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`
      throw new UsageError(
        `--map ${ours}=…: no model has a field ${ours}; --map takes OURS=THEIRS, our name first.${meant}`,
      )
    }
    if (ours === theirs) map.delete(ours)
  }
  const twice = [...map.values()].find((theirs, place, all) => all.indexOf(theirs) !== place)
  if (twice !== undefined) throw new UsageError(`--map gives the column ${twice} two names.`)
  if (values.id !== undefined && map.has('idx')) throw new UsageError('Give either --id or --idx.')
  return map
}

function mapFile(path: string): readonly (readonly [string, string])[] {
  let value: unknown
  try {
    value = parseJson(readFileSync(path, 'utf8'))
  } catch {
    throw new UsageError(`--map takes OURS=THEIRS or a JSON file; ${path} is neither.`)
  }
  const pairs = Object.entries(value ?? {})
  if (!pairs.every((pair): pair is [string, string] => typeof pair[1] === 'string')) {
    throw new UsageError(`${path} must hold an object of names: {"age":"edad"}.`)
  }
  return pairs
}

/** What a specification says about the data. If it lists no missing texts, the defaults of `learn` hold. */
async function dataIn(specification: string): Promise<DataSpecificationType> {
  const { MISSING_TEXTS, readSpecification } = await import('@patient-risk/data/learn')
  return { missing: [...MISSING_TEXTS], ...readSpecification(specification).data }
}

export function partsOf(values: ScoreValues): readonly ResultPart[] {
  return RESULT_PARTS.filter((part) => values[part] === true)
}

/** Where the answers of a deployment come from. */
export function sourceOf(deployment: Deployment): AnswerSource {
  const { id, version } = deployment.model.definition
  return { model: `${id}@${version}`, deployment_digest: digestText(deployment) }
}

/** The key of a part in JSON, and its columns in a table. */
function namesOf(part: ResultPart): readonly string[] {
  return [...new Set([part, ...Object.keys(PART_COLUMNS[part])])]
}

export async function columnOptionsOf(
  values: ScoreValues,
  catalog: Catalog,
  hasTable: boolean,
): Promise<ColumnOptions> {
  const { specification, dates, encoding, keep = [], key } = values
  const data = specification === undefined ? undefined : await dataIn(specification)
  const own = [
    ...['idx', 'risk', 'error_message', ...partsOf(values).flatMap(namesOf)],
    ...(values.source === true ? SOURCE_COLUMNS : []),
    ...(key === undefined ? [] : [CHANGE_COLUMN]),
  ]
  const plain = [...own, ...keep].map((name) => (hasTable ? name.toLowerCase() : name))
  const second = plain.findIndex((name, place) => plain.indexOf(name) !== place)
  if (second >= 0) {
    const taken = keep[second - own.length] ?? ''
    const hint = hasTable ? ' Names of table columns are not case-sensitive.' : ''
    throw new UsageError(`--keep ${taken}: the results already have a column of that name.${hint}`)
  }
  // As the idx it is a column of the results anyway.
  if (
    key !== undefined &&
    own.slice(values.id === undefined || values.id === key ? 1 : 0).includes(key.toLowerCase())
  )
    throw new UsageError(`--key ${key}: the results already have a column of that name.`)
  if (values['decimal-comma'] === true && values['decimal-point'] === true)
    throw new UsageError('Give either --decimal-comma or --decimal-point.')
  if (dates !== undefined && ![...DATE_FORMS, 'YYYY-MM-DD', 'DD-MM-YYYY'].some((form) => form === dates))
    throw new UsageError(`--dates takes ${DATE_FORMS.join(', ')}; YYYY-MM-DD and DD-MM-YYYY are always read.`)
  const delimiter = values.delimiter === '\\t' || values.delimiter === 'tab' ? '\t' : values.delimiter
  if (delimiter !== undefined && ![',', ';', '\t', '|'].includes(delimiter))
    throw new UsageError('--delimiter takes a comma, a semicolon, a pipe or tab.')
  const hasComma = values['decimal-point'] === true ? false : (values['decimal-comma'] ?? data?.decimalComma)
  return {
    map: mapOf(values, catalog),
    rules: data?.columns ?? {},
    missing: [...(data?.missing ?? []), ...(values.missing ?? [])],
    id: values.id,
    isNumbered: values.number === true,
    keep,
    delimiter,
    encoding: encoding === undefined ? undefined : oneOf(ENCODINGS, encoding, '--encoding'),
    decimal: decimalMark(hasComma),
    dates: DATE_FORMS.find((form) => form === dates),
  }
}
