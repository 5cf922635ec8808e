/**
 * A test that may be looked at after every record, for years: the Shiryaev–Roberts e-detector (Shin, Ramdas, Rinaldo 2023) of "at most
 * this share of the records is such". As long as that holds, the mean of the evidence grows by at most 1 a record, so within n records it
 * reaches the limit with a probability of at most n ÷ limit, however often anyone looks. A change is found whenever it comes, because every
 * record is also a new start. Several detectors that each see a part of the records keep this fixed false-alarm rate together.
 */
export const ALARM_AT = 1_000_000

/** Below 1, because neighbouring records may belong to one patient and would count several times. Simulated: `test/simulate`. */
const EXPONENT = 0.7

/** What one record multiplies the evidence for each alternative by. */
export interface ShareTest {
  readonly ifSuch: readonly number[]
  readonly ifNot: readonly number[]
}

/** Alternatives, between the highest share that is in order and 1. */
const STEPS = [0.05, 0.15, 0.5]

/** The test of a share. The alternatives are shares above it. */
export function testShare(
  most: number,
  alternatives: readonly number[] = STEPS.map((step) => most + step * (1 - most)),
): ShareTest {
  return {
    ifSuch: alternatives.map((share) => (share / most) ** EXPONENT),
    ifNot: alternatives.map((share) => ((1 - share) / (1 - most)) ** EXPONENT),
  }
}

export class Detector {
  private readonly test: ShareTest
  private readonly evidence: number[]

  constructor(test: ShareTest) {
    this.test = test
    this.evidence = test.ifSuch.map(() => 0)
  }

  add(isSuch: boolean): void {
    const { evidence } = this
    const factors = isSuch ? this.test.ifSuch : this.test.ifNot
    for (let at = 0; at < evidence.length; at++)
      evidence[at] = ((evidence[at] as number) + 1) * (factors[at] as number)
  }

  /** An alarm from `ALARM_AT` on. */
  get mean(): number {
    return meanOf(this.evidence)
  }
}

/** The same evidence of counts, for a file that is looked at once: the order of its records does not matter. */
export function evidenceOfCounts({ ifSuch, ifNot }: ShareTest, such: number, others: number): number {
  return meanOf(
    ifSuch.map((factor, at) => Math.exp(such * Math.log(factor) + others * Math.log(ifNot[at] as number))),
  )
}

export function meanOf(values: readonly number[]): number {
  let sum = 0
  for (const value of values) sum += value
  return sum / values.length
}
