/**
 * What right values of older inpatients look like, field by field. The limits are ours and wide on purpose: a right ward of another kind
 * must lie within them. They are read as shares: `median: [10, 14.8]` says that at most half of the values lie below 10 or above 14.8.
 */
export interface UsualNumbers {
  readonly field: string
  /** The median of right values lies between these. */
  readonly median?: readonly [from: number, to: number]
  /** At most this share of right values lies below a value, or above it. */
  readonly below?: readonly (readonly [value: number, most: number])[]
  readonly above?: readonly (readonly [value: number, most: number])[]
  /** At least this share lies below a value, or from it on. */
  readonly fewBelow?: readonly (readonly [value: number, least: number])[]
  readonly fewFrom?: readonly (readonly [value: number, least: number])[]
  /** At most this share is one and the same number. */
  readonly commonest: number
  /** At most this share is exactly this number, which stands for a missing value in many systems. */
  readonly codes?: readonly (readonly [value: number, most: number])[]
  /**
   * Such a number is only doubted where it is more than this share of the values around it. While a feed has no past yet, at most the share
   * `first` is this number: a few records then are a sign, and over years they are not.
   */
  readonly heap?: {
    readonly code: number
    readonly from: number
    readonly below: number
    readonly most: number
    readonly first: number
  }
  /** At most this share is a whole number, a multiple of 5, a multiple of 10. */
  readonly whole?: number
  readonly fives?: number
  readonly tens?: number
  /**
   * The value may not be the highest of all for more than this share of those that reach it, below `open`. A limit that rules of data
   * protection prescribe is likelier than others, so its question has a larger part of the level.
   */
  readonly limit?: { readonly hazard: number; readonly open: number; readonly weight?: number }
  /** What another meaning of a count is: another period, or the present stay counted too. */
  readonly isPeriod?: true
}

export const USUAL_NUMBERS: readonly UsualNumbers[] = [
  {
    field: 'age',
    median: [58, 90],
    below: [[18, 0.25]],
    above: [
      [100.5, 0.05],
      [105.5, 0.01],
    ],
    codes: [[99, 0.003]],
    heap: { code: 99, from: 95, below: 106, most: 0.25, first: 0.001 },
    commonest: 0.13,
    fives: 0.4,
    tens: 0.26,
    limit: { hazard: 0.29, open: 95, weight: 8 },
  },
  {
    field: 'inpatientAdmissions',
    above: [
      [3.5, 0.11],
      [6.5, 0.06],
    ],
    fewBelow: [[1, 0.17]],
    fewFrom: [
      [2, 0.08],
      [3, 0.015],
    ],
    codes: [
      [9, 0.03],
      [99, 0.002],
    ],
    commonest: 0.9,
    isPeriod: true,
  },
  {
    field: 'emergencyAdmissions',
    above: [
      [4.5, 0.16],
      [8.5, 0.06],
    ],
    fewBelow: [[1, 0.14]],
    codes: [
      [9, 0.03],
      [99, 0.002],
      [199, 0.002],
    ],
    commonest: 0.95,
    isPeriod: true,
  },
  {
    field: 'edVisits6Months',
    above: [
      [3.5, 0.15],
      [6.5, 0.05],
    ],
    fewBelow: [[1, 0.18]],
    codes: [
      [9, 0.02],
      [99, 0.002],
    ],
    commonest: 0.96,
    isPeriod: true,
  },
  {
    field: 'primaryCareVisits12Months',
    median: [2, 18],
    above: [[60, 0.05]],
    codes: [
      [0, 0.35],
      [99, 0.01],
    ],
    commonest: 0.4,
    isPeriod: true,
  },
  {
    field: 'stayDays',
    median: [2.5, 18],
    above: [[60, 0.1]],
    fewBelow: [[9, 0.1]],
    codes: [
      [0, 0.4],
      [99, 0.01],
      [999, 0.002],
    ],
    commonest: 0.34,
    limit: { hazard: 0.35, open: 12 },
    isPeriod: true,
  },
  {
    field: 'haemoglobin',
    median: [10, 14.6],
    below: [
      [7.5, 0.065],
      [9, 0.2],
      [10, 0.4],
    ],
    above: [[16.5, 0.1]],
    codes: [[9.9, 0.07]],
    commonest: 0.07,
    limit: { hazard: 0.35, open: 16 },
    whole: 0.35,
  },
  {
    field: 'sodium',
    median: [133, 144],
    below: [[120, 0.04]],
    above: [[155, 0.04]],
    codes: [
      [99, 0.004],
      [199, 0.002],
    ],
    commonest: 0.22,
    limit: { hazard: 0.45, open: 148 },
    fives: 0.5,
    tens: 0.36,
  },
  {
    field: 'creatinine',
    median: [0.65, 1.7],
    below: [[0.3, 0.05]],
    above: [
      [4, 0.12],
      [10, 0.03],
    ],
    codes: [
      [9, 0.01],
      [9.9, 0.01],
    ],
    commonest: 0.18,
    limit: { hazard: 0.35, open: 3 },
    whole: 0.45,
  },
  {
    field: 'albumin',
    median: [2.4, 4.4],
    below: [[1.5, 0.06]],
    above: [[5.2, 0.04]],
    commonest: 0.2,
    limit: { hazard: 0.5, open: 4.8 },
    whole: 0.45,
  },
  {
    field: 'barthel_total',
    median: [10, 99],
    fewFrom: [[60, 0.3]],
    below: [[2.5, 0.13]],
    codes: [[0, 0.13]],
    commonest: 0.65,
    tens: 0.85,
  },
  {
    field: 'mmse_total',
    median: [14, 29.5],
    below: [[0.5, 0.12]],
    codes: [
      [0, 0.12],
      [9, 0.1],
    ],
    commonest: 0.4,
    tens: 0.55,
  },
  {
    field: 'charlson_total',
    median: [0, 6],
    below: [[1, 0.6]],
    fewBelow: [[2, 0.06]],
    above: [[14, 0.05]],
    codes: [[9, 0.12]],
    heap: { code: 9, from: 8, below: 11, most: 0.7, first: 0.05 },
    commonest: 0.65,
  },
  {
    field: 'laceCharlson_total',
    median: [0, 8],
    above: [[18, 0.05]],
    codes: [[9, 0.12]],
    commonest: 0.75,
  },
  {
    field: 'must_height',
    median: [148, 178],
    below: [[130, 0.04]],
    above: [[195, 0.03]],
    commonest: 0.17,
    tens: 0.45,
  },
  {
    field: 'must_weight',
    median: [48, 88],
    below: [[33, 0.04]],
    above: [[130, 0.06]],
    codes: [
      [99, 0.03],
      [99.9, 0.02],
    ],
    commonest: 0.14,
    tens: 0.45,
  },
  {
    field: 'must_weightBefore',
    median: [48, 92],
    below: [[33, 0.04]],
    above: [[140, 0.06]],
    codes: [
      [99, 0.03],
      [99.9, 0.02],
    ],
    commonest: 0.14,
    tens: 0.45,
  },
  {
    field: 'news2_respirationRateReading',
    median: [13, 24],
    below: [[8, 0.03]],
    above: [[45, 0.03]],
    codes: [[9, 0.05]],
    commonest: 0.65,
    tens: 0.8,
  },
  {
    field: 'news2_spo2Reading',
    median: [90, 99.5],
    below: [[75, 0.04]],
    fewBelow: [[99.5, 0.3]],
    commonest: 0.45,
    tens: 0.5,
  },
  {
    field: 'news2_systolicBpReading',
    median: [103, 160],
    below: [[75, 0.05]],
    above: [[215, 0.05]],
    commonest: 0.36,
    tens: 0.85,
    limit: { hazard: 0.4, open: 190 },
  },
  {
    field: 'news2_pulseReading',
    median: [62, 102],
    below: [[38, 0.04]],
    above: [[160, 0.04]],
    codes: [[99, 0.08]],
    heap: { code: 99, from: 97, below: 102, most: 0.6, first: 0.03 },
    commonest: 0.3,
    limit: { hazard: 0.4, open: 140 },
  },
  {
    field: 'news2_temperatureReading',
    median: [35.7, 37.6],
    below: [[34, 0.04]],
    above: [[40.5, 0.04]],
    commonest: 0.3,
    whole: 0.6,
  },
]
