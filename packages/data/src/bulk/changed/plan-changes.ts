/** Why an input has to be scored again, and which rows of it are written then. */
import type { FileState } from './file-state.ts'
import type { AnsweredBy, HashFile, ManifestFile } from './manifest.ts'

/** In the order in which they are asked: the first one that holds counts. */
export const REASONS_TO_SCORE = ['new', 'options', 'deployment', 'changed', 'output', 'day'] as const
export type ReasonToScore = (typeof REASONS_TO_SCORE)[number]

/** What a run is, where it decides its answers. */
export interface RunSetting extends AnsweredBy {
  /** Whether the answers say how old an assessment is. */
  readonly tellsAges: boolean
}

/** An input and its output, as they are when the run begins. */
export interface Found {
  readonly input: FileState
  readonly output: FileState | undefined
  readonly options: string
}

export function reasonToScore(
  last: ManifestFile | undefined,
  { input, output, options }: Found,
  setting: RunSetting,
): ReasonToScore | undefined {
  if (last === undefined) return 'new'
  if (last.options !== options) return 'options'
  if (last.deploymentDigest !== setting.deploymentDigest || last.model !== setting.model) return 'deployment'
  if (last.input.sha256 !== input.sha256) return 'changed'
  if (last.sha256 !== output?.sha256) return 'output'
  return isOfAnotherDay(last, setting) ? 'day' : undefined
}

function isOfAnotherDay({ today, dates }: ManifestFile, setting: RunSetting): boolean {
  // Where the clock was set back, any date may have become one of the future.
  if (setting.today < today) return dates !== 'none'
  if (setting.today === today) return false
  return dates === 'future' || (setting.tellsAges && dates === 'some')
}

/** What the rows of an output are compared with. */
export interface Base {
  /** Undefined where all rows are written. */
  readonly before: HashFile | undefined
  /** Whether rows are written that are as before. */
  readonly isWhole: boolean
  /** The hash of the output that the new one continues. */
  readonly since: string | undefined
}

/** All rows are written. */
export const NO_BASE: Base = { before: undefined, isWhole: true, since: undefined }

/** An output that is lost is made again as it was. Any other continues the last one. */
export function baseFor(reason: ReasonToScore, last: ManifestFile | undefined, key: string): Base {
  const keyed = last?.keyed
  if (last === undefined || keyed?.key !== key || reason === 'options') return NO_BASE
  if (reason === 'output') return { before: keyed.hashesBefore, isWhole: keyed.isWhole, since: keyed.since }
  return { before: keyed.hashes, isWhole: reason === 'deployment', since: last.sha256 }
}
