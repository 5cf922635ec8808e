/** The default model, worked out from the equation in its description alone. */
export interface Readmission30Input {
  readonly age: number
  readonly sex: string
  readonly inpatient: number
  readonly emergency: number
  readonly days: number
}

const MALE: Readonly<Record<string, number>> = { M: 1, X: 0.5 }

export function readmission30Risk({ age, sex, inpatient, emergency, days }: Readmission30Input): number {
  const a = age / 10
  const male = MALE[sex] ?? 0
  const logit =
    -2.567027 -
    0.104587 * a +
    0.011698 * a * a +
    0.023605 * male +
    0.741003 * Math.log1p(inpatient) +
    0.227101 * Math.log1p(emergency) +
    0.210156 * Math.log1p(days)
  const odds = Math.exp(logit)
  return odds / (1 + odds)
}

/** Worked values of the description, before rounding. */
export const WORKED = [
  [{ age: 70, sex: 'F', inpatient: 0, emergency: 0, days: 3 }, 0.08057234230223748],
  [{ age: 84, sex: 'F', inpatient: 2, emergency: 1, days: 7 }, 0.2294091648357662],
  [{ age: 91, sex: 'M', inpatient: 5, emergency: 3, days: 14 }, 0.4219407808488769],
  [{ age: 45, sex: 'M', inpatient: 0, emergency: 0, days: 1 }, 0.06713781938710606],
  [{ age: 100, sex: 'F', inpatient: 20, emergency: 40, days: 60 }, 0.8205655735823763],
] as const
