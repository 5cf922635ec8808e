/** HOSPITAL 2016, worked out from the published points and groups alone: JAMA Intern Med 2016;176(4):496-502. */
export interface HospitalInput {
  readonly haemoglobin: number
  readonly oncology: boolean
  readonly sodium: number
  readonly procedure: boolean
  readonly urgent: boolean
  readonly admissions: number
  readonly days: number
}

export function hospitalScore(input: HospitalInput): number {
  let score = 0
  if (input.haemoglobin < 12) score += 1
  if (input.oncology) score += 2
  if (input.sodium < 135) score += 1
  if (input.procedure) score += 1
  if (input.urgent) score += 1
  if (input.admissions > 5) score += 5
  else if (input.admissions >= 2) score += 2
  if (input.days >= 5) score += 2
  return score
}

export function hospitalRisk(score: number): number {
  if (score <= 4) return 0.058
  return score <= 6 ? 0.119 : 0.228
}
