/** What the compiler must take and must refuse of the package's public face, and of the client. It is compiled, not run. */
import type {
  Explained,
  PatientRecord,
  Result as Answer,
  Validity,
} from '../../../../clients/typescript/src/client.ts'
import { RiskClient } from '../../../../clients/typescript/src/client.ts'
import { AppError, type ErrorCode, type Result, type RiskScorer, createScorer } from '../../src/index.ts'

const number = createScorer()
const flag = createScorer({ output: 'yes-no', threshold: 0.2 })

export const risk: number | null | undefined = number.score([{ idx: 1, age: 84 }])[0]?.risk
export const word: 'Yes' | 'No' | null | undefined = flag.score([{ idx: 1 }])[0]?.risk
export const items: readonly { Field: string; FieldDate: string; ExtendError: string }[] | null | undefined =
  number.score([])[0]?.error_message
export const valid: boolean | undefined = number.validate([])[0]?.valid
export const points: number | undefined = number.explain([])[0]?.explanation?.terms[0]?.points
export const bytes: Uint8Array = number.scoreBytes(new Uint8Array())
export const code: ErrorCode = new AppError('BODY_MALFORMED').code

// @ts-expect-error a risk may be null, and a caller must look.
export const unchecked: number | undefined = number.score([])[0]?.risk
// @ts-expect-error a yes-no deployment gives words.
export const mixed: number | null | undefined = flag.score([])[0]?.risk
// @ts-expect-error a record has an idx.
number.score([{ age: 84 }])
// @ts-expect-error an idx is a number.
number.score([{ idx: '1' }])
// @ts-expect-error records come as an array, also a single one.
number.score({ idx: 1 })
// @ts-expect-error there are two kinds of output.
createScorer({ output: 'percent' })
// @ts-expect-error only a yes-no scorer has a threshold.
createScorer({ output: 'number', threshold: 0.2 })
// @ts-expect-error results are not changed by their reader.
export const change = (result: Result<number>): void => void (result.risk = 1)
// @ts-expect-error the codes are a closed list.
export const unknownCode: ErrorCode = 'OUT_OF_COFFEE'

interface Patient {
  readonly idx: number
  readonly age: number | null
  sex?: 'F' | 'M'
}
declare const patients: readonly Patient[]
export const typed = number.score(patients)

const client = new RiskClient({ url: '', key: '', output: 'number' })
const flags = new RiskClient({ url: '', key: '', output: 'yes-no' })
declare const anyRecords: readonly PatientRecord[]
declare function readPatients(): AsyncGenerator<Patient>
export const clientRisk: number | null | undefined = (await client.score(patients))[0]?.risk
export const clientWord: 'Yes' | 'No' | null | undefined = (await flags.score(anyRecords))[0]?.risk
export const calls = [
  client.validate([{ idx: 1, age: 84 }]),
  client.explain([...anyRecords, { idx: 2, sex: 'M' }]),
  client.stream(patients),
  client.stream(readPatients()),
  client.stream(new Set<PatientRecord>()),
]
// @ts-expect-error a record has an idx.
void client.score([{ age: 84 }])
// @ts-expect-error JSON has no form for a Date; the service takes DD-MM-YYYY.
void client.score([{ idx: 1, mna_date: new Date() }])
// @ts-expect-error a record holds plain values.
void client.score([{ idx: 1, barthel: { total: 90 } }])
// @ts-expect-error a yes-no deployment gives words.
export const clientMixed: number | null | undefined = (await flags.score(patients))[0]?.risk

// The calls give what the functions give. The types of the client are generated from the OpenAPI document.
type Same<A, B> = [A, B] extends [B, A] ? true : false
type Given<Risk, Call extends 'score' | 'validate' | 'explain'> = ReturnType<RiskScorer<Risk>[Call]>[number]
export const same: readonly true[] = [
  true satisfies Same<Given<number, 'score'>, Answer<'number'>>,
  true satisfies Same<Given<'Yes' | 'No', 'score'>, Answer<'yes-no'>>,
  true satisfies Same<Given<number, 'validate'>, Validity>,
  // The ends of a range are a pair here and a list of two in the document.
  true satisfies Given<number, 'explain'> extends Explained<'number'> ? true : false,
]
