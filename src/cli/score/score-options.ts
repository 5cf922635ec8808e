/** What the words after `score` mean, each checked on its own. */
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import {
  type ErrorsFormat,
  FORMATS,
  type Format,
  WRITTEN_FORMATS,
  type WrittenFormat,
  formatOf,
} from '../../bulk/format.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { DeploymentSettings } from '../../config-file.ts'
import { STANDARD_INPUT } from '../../tables/open-input.ts'
import { UsageError } from '../command.ts'
import { nearNames } from '../output/near-names.ts'

const RESULT_NAMES = ['idx', 'risk', 'error_message']
const FRACTION = /^(\d+|\d*\.\d+)(e-?\d{1,3})?$/i

export type DeploymentWords = Readonly<
  Partial<Record<'deployment' | 'model' | 'output-kind' | 'threshold', string>>
>

export function inputFormat(given: string | undefined, path: string): Format {
  if (given !== undefined) return oneOf(FORMATS, given, '--from')
  return path === STANDARD_INPUT ? 'ndjson' : told(formatOf(path).format, path, '--from')
}

export function outputFormat(given: string | undefined, path: string | undefined): WrittenFormat {
  if (given !== undefined) return oneOf(WRITTEN_FORMATS, given, '--to')
  return path === undefined || path === '-' ? 'ndjson' : told(formatOf(path).written, path, '--to')
}

export function errorsFormat(path: string | undefined): ErrorsFormat | undefined {
  if (path === undefined) return undefined
  const { written, gzip } = formatOf(path)
  if (gzip || written === undefined || written === 'json' || written === 'parquet')
    throw new UsageError('--errors takes a name that ends in .ndjson, .csv or .tsv.')
  return written
}

function oneOf<T extends string>(known: readonly T[], given: string, word: string): T {
  const found = known.find((each) => each === given)
  if (found === undefined) throw new UsageError(`${word} takes ${known.join(', ')}.`)
  return found
}

function told<T>(format: T | undefined, path: string, word: string): T {
  if (format === undefined)
    throw new UsageError(`The name ${path} does not say its form; say it with ${word}.`)
  return format
}

export function settingsFor(
  values: DeploymentWords,
  deployments: readonly DeploymentSettings[],
): DeploymentSettings {
  const { deployment, model, threshold } = values
  const kind = values['output-kind']
  if (model === undefined) {
    const stray = threshold !== undefined ? '--threshold' : kind !== undefined ? '--output-kind' : undefined
    if (stray !== undefined)
      throw new UsageError(
        `${stray} goes with --model only: a deployment has its own in the configuration. Name the model, or leave ${stray} out.`,
      )
    const found =
      deployment === undefined ? deployments[0] : deployments.find(({ name }) => name === deployment)
    if (found !== undefined) return found
    throw new UsageError(
      `There is no deployment ${deployment}. There are ${deployments.map(({ name }) => name).join(', ')}.`,
    )
  }
  if (deployment !== undefined) throw new UsageError('Give either --deployment or --model.')
  const output = oneOf(['number', 'yes-no'], kind ?? 'number', '--output-kind')
  if (threshold === undefined) return { name: 'score', basePath: '/', model, output }
  if (!FRACTION.test(threshold) || Number(threshold) > 1)
    throw new UsageError('--threshold takes a number from 0 to 1, as 0.15.')
  if (output === 'number') throw new UsageError('--threshold goes with --output-kind yes-no; say that too.')
  return { name: 'score', basePath: '/', model, output, threshold: Number(threshold) }
}

/** Our names to theirs. */
export function mapOf(
  given: readonly string[],
  idx: string | undefined,
  catalog: Catalog,
): ReadonlyMap<string, string> {
  const map = new Map<string, string>()
  for (const each of given) {
    const equals = each.indexOf('=')
    if (equals > 0) map.set(each.slice(0, equals), each.slice(equals + 1))
    else for (const [ours, theirs] of mapFile(each)) map.set(ours, theirs)
  }
  if (idx !== undefined) map.set('idx', idx)
  const known = ['idx', ...catalog.domains.keys()]
  for (const [ours, theirs] of map) {
    if (theirs === '') throw new UsageError(`--map ${ours}= names no column.`)
    if (!known.includes(ours)) throw new UsageError(unknownName(ours, known))
    if (ours === theirs) map.delete(ours)
  }
  const twice = [...map.values()].find((theirs, place, all) => all.indexOf(theirs) !== place)
  if (twice !== undefined) throw new UsageError(`--map gives the column ${twice} two names.`)
  return map
}

function unknownName(ours: string, known: readonly string[]): string {
  const near = nearNames(ours, known)
  const meant = near.length === 0 ? '' : ` Is it ${near.join(' or ')}?`
  return `--map ${ours}=…: no model knows a field ${ours}; it takes OURS=THEIRS, our name first.${meant}`
}

function mapFile(path: string): readonly (readonly [string, string])[] {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    throw new UsageError(`--map takes OURS=THEIRS or a JSON file; ${path} is neither.`)
  }
  const pairs = Object.entries(value ?? {})
  if (!pairs.every((pair): pair is [string, string] => typeof pair[1] === 'string')) {
    throw new UsageError(`${path} must hold an object of names: {"age":"edad"}.`)
  }
  return pairs
}

export function keepOf(given: readonly string[]): readonly string[] {
  const taken = given.find((name, place) => RESULT_NAMES.includes(name) || given.indexOf(name) !== place)
  if (taken !== undefined)
    throw new UsageError(`--keep ${taken}: the results already have a column of that name.`)
  return given
}

export function delimiterFor(given: string | undefined): string | undefined {
  const word = given === '\\t' || given === 'tab' ? '\t' : given
  if (word === undefined || [',', ';', '\t'].includes(word)) return word
  throw new UsageError('--delimiter takes a comma, a semicolon or tab.')
}

export function threadsFor(given: string | undefined): number {
  if (given === undefined) return availableParallelism()
  if (/^[1-9]\d{0,2}$/.test(given)) return Number(given)
  throw new UsageError('--threads takes a number from 1 to 999.')
}
