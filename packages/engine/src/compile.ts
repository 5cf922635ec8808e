/** A packed deployment, ready to answer in any runtime. The engine has no clock: every call takes today's date. */
import { formatDate, parseDate } from './read/calendar.ts'
import { parseJson } from './read/parse-json.ts'
import { unpack } from './packed.ts'
import { type ExplainedResult, type PatientRecord, type Result, type Validity, bodyOf } from './results.ts'
import { type Call, createScorer } from './scorer.ts'

/** A number, or Yes and No where the deployment answers so. */
export type Risk = number | 'Yes' | 'No'

/**
 * Records in, results out, as in the calls over HTTP. `today` is YYYYMMDD as a number, in the time zone of the deployment. Bad
 * records have problems and no risk; an EngineError says why records cannot be answered at all, for example too many of them.
 */
export interface CompiledDeployment {
  readonly name: string
  /** The model that answers, as `id@version`. */
  readonly model: string
  /** That of the service with the same configuration. */
  readonly digest: string
  readonly timeZone: string
  score(records: readonly PatientRecord[], today: number): readonly Result<Risk>[]
  validate(records: readonly PatientRecord[], today: number): readonly Validity[]
  explain(records: readonly PatientRecord[], today: number): readonly ExplainedResult<Risk>[]
  /** The same on a body of JSON in UTF-8, with the bytes that HTTP answers: it also sees keys that are written twice. */
  readonly bytes: Readonly<Record<Call, (body: Uint8Array, today: number) => Uint8Array>>
}

/** Throws a PackError for anything but the JSON that `patient-risk pack` printed. */
export function compile(packed: unknown): CompiledDeployment {
  const { name, digest, timeZone, options, model, definitions } = unpack(packed)
  const scorer = createScorer(definitions, model, options)
  const answer = (call: Call, body: Uint8Array, today: number): Uint8Array => {
    checkToday(today)
    return scorer[call](body, today).bytes
  }
  // What the engine prints has the shape that the calls state.
  const answerRecords = (call: Call, records: readonly PatientRecord[], today: number): never =>
    parseJson(new TextDecoder().decode(answer(call, bodyOf(records), today))) as never
  return {
    name,
    model: `${model.id}@${model.version}`,
    digest,
    timeZone,
    score: (records, today) => answerRecords('score', records, today),
    validate: (records, today) => answerRecords('validate', records, today),
    explain: (records, today) => answerRecords('explain', records, today),
    bytes: {
      score: (body, today) => answer('score', body, today),
      validate: (body, today) => answer('validate', body, today),
      explain: (body, today) => answer('explain', body, today),
    },
  }
}

/** A wrong day would change which dates are in the future and which assessments are old, without a word. */
function checkToday(today: number): void {
  if (!Number.isInteger(today) || parseDate(formatDate(today)) !== today)
    throw new TypeError('`today` must be a day as the number YYYYMMDD, such as 20260131.')
}
