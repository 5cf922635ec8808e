/** Walter 2001, worked out from the paper's points and groups alone: JAMA 2001;285(23):2987-2994. */
export interface WalterInput {
  readonly male: boolean
  /** Of the five activities at discharge, how many the person cannot do alone. */
  readonly dependent: number
  readonly heartFailure: boolean
  readonly cancer: string
  readonly creatinine: number
  readonly albumin: number
}

export function walterScore(input: WalterInput): number {
  const sex = input.male ? 1 : 0
  const activities = pointsOfActivities(input.dependent)
  const failure = input.heartFailure ? 2 : 0
  const cancer = { none: 0, solitary: 3, metastatic: 8 }[input.cancer] ?? Number.NaN
  const kidneys = input.creatinine > 3 ? 2 : 0
  const albumin = pointsOfAlbumin(input.albumin)
  return sex + activities + failure + cancer + kidneys + albumin
}

function pointsOfActivities(dependent: number): number {
  if (dependent === 0) return 0
  return dependent === 5 ? 5 : 2
}

function pointsOfAlbumin(albumin: number): number {
  if (albumin < 3) return 2
  return albumin < 3.5 ? 1 : 0
}

/** One-year mortality of the validation cohort. */
export function walterRisk(score: number): number {
  if (score <= 1) return 0.04
  if (score <= 3) return 0.19
  return score <= 6 ? 0.34 : 0.64
}

/** The maximum of each of the five Barthel items, below which an activity counts as dependent. */
export const WALTER_ACTIVITIES = {
  barthel_bathing: [0, 5],
  barthel_dressing: [0, 5, 10],
  barthel_chairTransfers: [0, 5, 10, 15],
  barthel_toiletUse: [0, 5, 10],
  barthel_feeding: [0, 5, 10],
} as const
