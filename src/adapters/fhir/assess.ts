/** Resources to risks: reads each patient of a submission and scores it. One bad patient never costs another its answer. */
import type { ModelDefinition } from '../../definition/model.ts'
import type { Problem } from '../../engine/judge/problem.ts'
import type { Explanation } from '../../engine/score/explain.ts'
import type { Output, Scorer } from '../../engine/scorer.ts'
import { Tally } from '../../engine/tally.ts'
import { AppError } from '../../errors.ts'
import type { Evaluator } from './evaluator.ts'
import type { Mapping } from './mapping.ts'
import { parseMoment } from './moment.ts'
import { type PatientRecord, type ReadOptions, type Wanted, readPatient } from './read-patient.ts'
import type { Parameters, Submission } from './submission.ts'

/** What answers: a model with its scorer, and the mapping that its records are read by. */
export interface Source {
  readonly scorer: Scorer
  readonly model: ModelDefinition
  readonly output: Output
  readonly maxRecords: number
  readonly wanted: Wanted
  readonly mapping: Mapping
  readonly evaluator: Evaluator
}

export interface Assessed extends PatientRecord {
  /** The rounded risk; undefined where a problem keeps the patient from being scored. */
  readonly risk: number | undefined
  readonly problems: readonly Problem[]
  readonly explanation: Explanation | undefined
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export function assess(
  submission: Submission,
  source: Source,
  options: ReadOptions,
): { readonly assessed: readonly Assessed[]; readonly tally: Tally } {
  const { scorer, mapping, wanted, evaluator } = source
  if (submission.subjects.length > source.maxRecords) throw new AppError('TOO_MANY_RECORDS')
  const read = submission.subjects.map((subject) =>
    readPatient(subject, submission, mapping, wanted, options, evaluator),
  )
  const tally = new Tally()
  const records = read.map(({ record }, idx) => ({ idx, ...record }))
  const explained = JSON.parse(
    decoder.decode(scorer.explain(encoder.encode(JSON.stringify(records)), options.today).bytes),
  ) as readonly { readonly explanation: Explanation | null }[]
  const assessed = read.map((each, position) => {
    if (each.subject.conflict !== undefined) {
      tally.records++
      return { ...each, risk: undefined, problems: [], explanation: undefined }
    }
    const outcome = scorer.assess(records[position], options.today)
    tally.add(outcome)
    const { risk, problems, blocked } = outcome
    return {
      ...each,
      risk: blocked ? undefined : risk,
      problems: [...problems],
      explanation: explained[position]?.explanation ?? undefined,
    }
  })
  return { assessed, tally }
}

const ALL_TYPES: ReadonlySet<string> = new Set(['Encounter', 'Procedure', 'Condition'])
const NO_TYPES: ReadonlySet<string> = new Set()

/** What the parameters of a call say, or a refusal of one that cannot be followed. */
export function readOptions({ resolve }: Submission, given: Parameters, today: number): ReadOptions {
  const { history, asOf, encounters } = given
  if (history !== undefined && history !== 'complete' && history !== 'partial')
    throw new AppError('REQUEST_INVALID', 'The parameter history must be complete or partial.')
  const moment = parseMoment(asOf)
  if (asOf !== undefined && moment?.precision !== 'day')
    throw new AppError('REQUEST_INVALID', 'The parameter asOf must be a date or a date and time.')
  const named = encounters.map((reference) => {
    const entry = resolve(reference)
    if (entry?.type !== 'Encounter')
      throw new AppError('REQUEST_INVALID', 'The parameter encounter names no Encounter of the body.')
    return entry
  })
  return { named, asOf: moment?.day, today, complete: history === 'complete' ? ALL_TYPES : NO_TYPES }
}
