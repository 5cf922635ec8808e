/** Inouye 2008, worked out from the paper's five factors and Table 4 alone: Med Care 2008;46(7):726-731. */
export interface InouyeInput {
  readonly charlson: number
  readonly admissions: number
  readonly visits: number
  readonly age: number
  readonly unmarried: boolean
}

export function inouyeScore({ charlson, admissions, visits, age, unmarried }: InouyeInput): number {
  return [charlson >= 2, admissions >= 1, visits >= 6, age >= 85, unmarried].filter(Boolean).length
}

/** The shares of the validation cohort, to four decimals. */
export function inouyeRisk(score: number): number {
  return Number(shareOf(score).toFixed(4))
}

function shareOf(score: number): number {
  if (score === 0) return 30 / 473
  return score <= 2 ? 184 / 1191 : 115 / 323
}
