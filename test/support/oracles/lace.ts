/** LACE 2010, computed from the paper's tables alone: van Walraven and others, CMAJ 2010;182(6):551-557. */

/** Expected probability of death or unplanned readmission in percent, for scores 0 to 19. */
const EXPECTED_PERCENT = [
  2.0, 2.5, 3.0, 3.5, 4.3, 5.1, 6.1, 7.3, 8.7, 10.3, 12.2, 14.4, 17.0, 19.8, 23.0, 26.6, 30.4, 34.6, 39.1,
  43.7,
]

export interface LaceInput {
  readonly days: number
  readonly acute: boolean
  readonly comorbidity: number
  readonly visits: number
}

export function laceScore({ days, acute, comorbidity, visits }: LaceInput): number {
  let score = 0
  if (days < 1) score += 0
  else if (days <= 3) score += days
  else if (days < 7) score += 4
  else if (days < 14) score += 5
  else score += 7
  if (acute) score += 3
  score += comorbidity >= 4 ? 5 : comorbidity
  return score + Math.min(visits, 4)
}

export function laceRisk(score: number): number {
  return (EXPECTED_PERCENT[score] ?? Number.NaN) / 100
}

/** The weights of comorbidity inside LACE. AIDS weighs 4 as in a table of a modified LACE. */
export const LACE_WEIGHTS = {
  previousMyocardialInfarction: 1,
  cerebrovascularDisease: 1,
  peripheralVascularDisease: 1,
  diabetesWithoutComplications: 1,
  congestiveHeartFailure: 2,
  diabetesEndOrganDamage: 2,
  chronicPulmonaryDisease: 2,
  mildLiverOrRenalDisease: 2,
  anyTumor: 2,
  dementia: 3,
  connectiveTissueDisease: 3,
  aids: 4,
  moderateSevereLiverOrRenalDisease: 4,
  metastaticSolidTumor: 6,
} as const

/** Of two stages of a disease the worse one alone counts. */
const STAGES = [
  ['diabetesEndOrganDamage', 'diabetesWithoutComplications'],
  ['moderateSevereLiverOrRenalDisease', 'mildLiverOrRenalDisease'],
  ['metastaticSolidTumor', 'anyTumor'],
] as const

export function laceComorbidity(weights: Readonly<Record<keyof typeof LACE_WEIGHTS, number>>): number {
  let sum = Object.values(weights).reduce((total, weight) => total + weight, 0)
  for (const [severe, mild] of STAGES) if (weights[severe] > 0) sum -= weights[mild]
  return sum
}
