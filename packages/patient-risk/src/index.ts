/**
 * The package for programs: the engine that answers over HTTP, as functions. Input and output are the same as in the
 * scoring call, so that a program may change from one to the other without changing its data.
 */
import { fileURLToPath } from 'node:url'
import { makeDeployments, loadCatalog } from '@patient-risk/catalog'
import { checkConfigFile } from '@patient-risk/catalog/config'
import { type Fault, FaultList, faultLine } from 'patient-risk-engine/definition'
import {
  type Call,
  type ExplainedResult,
  type PatientRecord,
  type Result,
  type Validity,
  bodyOf,
} from 'patient-risk-engine'
import { appErrorOf, systemClock } from '@patient-risk/runtime'
import { parseJson } from 'patient-risk-engine/read'

export { AppError, ERRORS, type ErrorCode } from '@patient-risk/runtime'
export type { ErrorItem, ExplainedResult, PatientRecord, Result, Validity } from 'patient-risk-engine'
export type { Explanation, ExplainedTerm, ExplainedValue } from 'patient-risk-engine/explain'
export type { Notice } from 'patient-risk-engine/explain'
export type { RiskRange } from 'patient-risk-engine/explain'
export type { ScaleState } from 'patient-risk-engine/explain'
export type { Fault } from 'patient-risk-engine/definition'

export interface RiskScorer<Risk> {
  /** The model that answers, as `id@version`, and the SHA-256 of its file in base64. */
  readonly model: string
  readonly digest: string
  score(records: readonly PatientRecord[]): readonly Result<Risk>[]
  validate(records: readonly PatientRecord[]): readonly Validity[]
  explain(records: readonly PatientRecord[]): readonly ExplainedResult<Risk>[]
  /** A body in JSON, as the HTTP call takes it, and the bytes that it would answer. Throws an AppError. */
  scoreBytes(body: Uint8Array): Uint8Array
}

export interface ScorerSettings {
  /** `id@version`, or `id` for its highest version; the default model where absent. */
  readonly model?: string
  /** Clinical folders in addition to the package's own. */
  readonly clinical?: readonly string[]
  /** Whether every unknown name is reported, or only those that look like a known one. */
  readonly unknownFields?: 'ignore' | 'report'
  /** The most records that one call may hold; 10,000 where absent. */
  readonly maxRecords?: number
  /** The unit in which a field is given, where it is not its own: `{ haemoglobin: 'mmol/L' }`. */
  readonly units?: Readonly<Record<string, string>>
  /** What the codes of the records mean: `{ sex: { H: 'M', M: 'F' } }`; null stands for no value. */
  readonly codes?: Readonly<Record<string, Readonly<Record<string, string | boolean | null>>>>
  /** The scheme of bands of a scale in place of its default: `{ edmonton: 'four bands' }`. */
  readonly bands?: Readonly<Record<string, string>>
  /** The time zone that decides which dates are in the future; the machine's own where absent. */
  readonly timeZone?: string
}

/** A scorer cannot be made: clinical files or settings are faulty, or the model fails its own cases. */
export class ScorerError extends Error {
  override readonly name = 'ScorerError'
  readonly faults: readonly Fault[]

  constructor(lines: readonly string[], faults: readonly Fault[] = []) {
    super(lines.join('\n'))
    this.faults = faults
  }
}

const DEFAULT_MODEL = 'readmission30'
const CLINICAL_ROOT = fileURLToPath(new URL('../../../clinical', import.meta.url))

export function createScorer(settings?: ScorerSettings & { readonly output?: 'number' }): RiskScorer<number>
export function createScorer(
  settings: ScorerSettings & { readonly output: 'yes-no'; readonly threshold?: number },
): RiskScorer<'Yes' | 'No'>
export function createScorer(
  settings: ScorerSettings & { readonly output?: 'number' | 'yes-no'; readonly threshold?: number } = {},
): RiskScorer<number | 'Yes' | 'No'> {
  const { clinical = [], maxRecords, timeZone, ...given } = settings
  const limits = maxRecords === undefined ? {} : { records: maxRecords }
  const isSet = ([, value]: readonly [string, unknown]): boolean => value !== undefined
  const entry = Object.fromEntries(Object.entries(given).filter(isSet))
  const file = {
    ...(timeZone === undefined ? {} : { timeZone }),
    deployments: [
      { name: 'package', basePath: '/', model: DEFAULT_MODEL, output: 'number', limits, ...entry },
    ],
  }
  const wrong = new FaultList('settings')
  const { deployments: entries = [] } = checkConfigFile(file, wrong) ?? {}
  const { catalog, faults } = loadCatalog([CLINICAL_ROOT, ...clinical])
  const { deployments: [deployment] = [], faults: unmade = [] } = catalog
    ? makeDeployments(catalog, entries)
    : {}
  const all = [...faults, ...[...wrong.faults, ...unmade].map(ofSettings)]
  if (deployment === undefined || all.length > 0) throw new ScorerError(all.map(faultLine), all)
  const { definition, digest, selfCheckFailures } = deployment.model
  if (selfCheckFailures.length > 0) throw new ScorerError(selfCheckFailures)
  const { scorer } = deployment
  const clock = systemClock(timeZone)
  return {
    model: `${definition.id}@${definition.version}`,
    digest,
    score: (records) => parseAnswer(answer('score', bodyOf(records))),
    validate: (records) => parseAnswer(answer('validate', bodyOf(records))),
    explain: (records) => parseAnswer(answer('explain', bodyOf(records))),
    scoreBytes: (body) => answer('score', body),
  }
  function answer(call: Call, body: Uint8Array): Uint8Array {
    try {
      return scorer[call](body, clock.today()).bytes
    } catch (error) {
      throw appErrorOf(error) ?? error
    }
  }
}

/** The settings are checked as a configuration file with one deployment. */
function ofSettings({ path, ...fault }: Fault): Fault {
  const place = path.replace('/deployments/0', '').replace('/limits/records', '/maxRecords')
  return { ...fault, file: 'settings', path: place }
}

function parseAnswer(bytes: Uint8Array): never {
  // What the engine prints has the shape that the callers of this function state.
  return parseJson(Buffer.from(bytes).toString()) as never
}
