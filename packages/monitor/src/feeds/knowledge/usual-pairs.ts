/**
 * Pairs of fields that go together in right records. Of two statements about a patient the odds of the second are at least so many times
 * as high where the first is true (`leastOdds`), or the second is true in a share of those with the first that lies between two limits.
 * A column that was shifted by a row, inverted or exchanged breaks them.
 */
export interface Statement {
  readonly field: string
  /** True from this number on. */
  readonly from?: number
  /** True below this number. */
  readonly below?: number
  /** True for this code; without any of the three for yes. */
  readonly is?: string
}

export interface UsualPair {
  readonly one: Statement
  readonly other: Statement
  readonly leastOdds?: number
  /** Where `one` is true, `other` is in at least this share, and in at most that. */
  readonly least?: number
  readonly most?: number
}

/** Two numbers that may be equal, or the first one the higher, in at most these shares of the records in which the second is above 0. */
export interface ComparedNumbers {
  readonly fields: readonly [string, string]
  readonly equal: number
  readonly higher: number
}

const men: Statement = { field: 'sex', is: 'M' }

export const USUAL_PAIRS: readonly UsualPair[] = [
  { one: men, other: { field: 'must_height', from: 161 }, leastOdds: 8 },
  { one: men, other: { field: 'must_weight', from: 70 }, leastOdds: 1 },
  { one: men, other: { field: 'haemoglobin', from: 12.3 }, leastOdds: 1 },
  { one: men, other: { field: 'creatinine', from: 1 }, leastOdds: 1 },
  { one: men, other: { field: 'unmarried', is: 'false' }, leastOdds: 1.3 },
  {
    one: { field: 'creatinine', from: 1.2 },
    other: { field: 'charlson_renalDisease', from: 1 },
    leastOdds: 4,
  },
  {
    one: { field: 'creatinine', from: 1.2 },
    other: { field: 'laceCharlson_moderateSevereLiverOrRenalDisease', from: 1 },
    leastOdds: 5,
  },
  { one: { field: 'barthel_total', from: 60 }, other: { field: 'albumin', from: 3.5 }, leastOdds: 1 },
  { one: { field: 'barthel_total', from: 60 }, other: { field: 'mmse_total', from: 24 }, leastOdds: 1 },
  { one: { field: 'barthel_total', from: 60 }, other: { field: 'age', below: 82 }, leastOdds: 1 },
  { one: { field: 'barthel_total', below: 60 }, other: { field: 'dementia' }, leastOdds: 1 },
  { one: { field: 'dementia' }, other: { field: 'mmse_total', below: 20 }, leastOdds: 2 },
  { one: { field: 'dementia' }, other: { field: 'charlson_dementia', from: 1 }, leastOdds: 5 },
  { one: { field: 'charlson_dementia', from: 1 }, other: { field: 'dementia', is: 'false' }, most: 0.5 },
  { one: { field: 'dementia' }, other: { field: 'laceCharlson_dementia', from: 1 }, leastOdds: 5 },
  {
    one: { field: 'congestiveHeartFailure' },
    other: { field: 'charlson_congestiveHeartFailure', from: 1 },
    leastOdds: 5,
  },
  {
    one: { field: 'charlson_congestiveHeartFailure', from: 1 },
    other: { field: 'congestiveHeartFailure', is: 'false' },
    most: 0.5,
  },
  { one: { field: 'nyhaOrMrc3to4' }, other: { field: 'congestiveHeartFailure' }, leastOdds: 1.5 },
  { one: { field: 'unmarried' }, other: { field: 'caregiver', is: 'spouse' }, most: 0.3 },
  {
    one: { field: 'congestiveHeartFailure' },
    other: { field: 'laceCharlson_congestiveHeartFailure', from: 1 },
    leastOdds: 5,
  },
  {
    one: { field: 'cancer', is: 'none' },
    other: { field: 'charlson_solidTumor', below: 1 },
    leastOdds: 5,
  },
  { one: { field: 'activeNeoplasia' }, other: { field: 'charlson_solidTumor', from: 1 }, leastOdds: 3 },
  { one: { field: 'cancer', is: 'none' }, other: { field: 'activeNeoplasia' }, most: 0.25 },
  { one: { field: 'cancer', is: 'metastatic' }, other: { field: 'activeNeoplasia' }, least: 0.6 },
  { one: { field: 'charlson_solidTumor', from: 1 }, other: { field: 'cancer', is: 'none' }, most: 0.4 },
  { one: { field: 'oncologyService' }, other: { field: 'cancer', is: 'none' }, most: 0.4 },
  { one: { field: 'laceCharlson_total', from: 2 }, other: { field: 'charlson_total', below: 1 }, most: 0.07 },
  { one: { field: 'laceCharlson_total', below: 1 }, other: { field: 'charlson_total', from: 2 }, most: 0.25 },
  {
    one: { field: 'laceCharlson_total', from: 3 },
    other: { field: 'charlson_total', from: 3 },
    leastOdds: 4,
  },
  {
    one: { field: 'deliriumLastAdmission' },
    other: { field: 'inpatientAdmissions', below: 1 },
    most: 0.25,
  },
  {
    one: { field: 'edVisits6Months', from: 1 },
    other: { field: 'emergencyAdmissions', below: 1 },
    most: 0.1,
  },
  {
    one: { field: 'emergencyAdmissions', from: 3 },
    other: { field: 'edVisits6Months', from: 2 },
    leastOdds: 4,
  },
  { one: { field: 'must_weight', from: 70 }, other: { field: 'must_weightBefore', from: 71 }, leastOdds: 10 },
  {
    one: { field: 'news2_temperatureReading', from: 37.6 },
    other: { field: 'news2_pulseReading', from: 86 },
    leastOdds: 1,
  },
]

export const COMPARED_NUMBERS: readonly ComparedNumbers[] = [
  { fields: ['edVisits6Months', 'emergencyAdmissions'], equal: 0.68, higher: 0.06 },
  { fields: ['charlson_total', 'laceCharlson_total'], equal: 0.6, higher: 1 },
  { fields: ['stayDays', 'inpatientAdmissions'], equal: 0.6, higher: 1 },
  { fields: ['emergencyAdmissions', 'inpatientAdmissions'], equal: 0.8, higher: 1 },
  { fields: ['must_weight', 'must_weightBefore'], equal: 0.85, higher: 0.72 },
]
