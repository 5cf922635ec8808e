/** PROFUND 2011, worked out from the paper's points and strata alone: Bernabeu-Wittel and others, Eur J Intern Med 2011;22(3):311-317. */
export interface ProfundInput {
  readonly age: number
  readonly caregiver: string
  readonly neoplasia: boolean
  readonly dementia: boolean
  readonly nyhaOrMrc: boolean
  readonly delirium: boolean
  readonly haemoglobin: number
  readonly barthel: number
  readonly admissions: number
}

export function profundScore(input: ProfundInput): number {
  const factors: readonly (readonly [boolean, number])[] = [
    [input.age >= 85, 3],
    [input.caregiver !== 'spouse', 2],
    [input.neoplasia, 6],
    [input.dementia, 3],
    [input.nyhaOrMrc, 3],
    [input.delirium, 3],
    [input.haemoglobin < 10, 3],
    [input.barthel < 60, 4],
    [input.admissions >= 4, 3],
  ]
  return factors.reduce((sum, [holds, points]) => (holds ? sum + points : sum), 0)
}

/** One-year mortality of the validation cohort. */
export function profundRisk(score: number): number {
  if (score >= 11) return 0.613
  if (score >= 7) return 0.5
  return score >= 3 ? 0.315 : 0.146
}
