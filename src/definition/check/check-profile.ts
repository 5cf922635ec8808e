/** Checks that a development profile describes the model's inputs, and that its shares add up. */
import type { Domain } from '../domain.ts'
import type { FaultList } from '../fault.ts'
import type { ProfileDefinition } from '../profile.ts'

/** Shares are stored rounded, so that they add up to one only nearly. */
const ROUNDING = 0.01

export function checkProfile(
  profile: ProfileDefinition,
  inputs: ReadonlyMap<string, Domain>,
  faults: FaultList,
): void {
  for (const [name, input] of Object.entries(profile.inputs)) {
    const here = faults.at(`/inputs/${name}`)
    const domain = inputs.get(name)
    const codes = domain === undefined ? undefined : codesOf(domain)
    if (domain === undefined) here.add('', 'unknown-input', `${name} is not among the model's inputs`)
    else if ('codes' in input !== (codes !== undefined))
      here.add('', 'profile', codes === undefined ? 'needs cuts and shares' : 'needs the shares of its codes')
    else if ('codes' in input) {
      for (const code of Object.keys(input.codes))
        if (codes?.has(code) !== true) here.add('/codes', 'profile', `${code} cannot occur`)
      checkSum(Object.values(input.codes), here)
    } else checkBins(input, here)
  }
  checkBins(profile.risk, faults.at('/risk'))
}

function codesOf(domain: Domain): ReadonlySet<string> | undefined {
  if (domain.kind === 'yesNo') return new Set(['true', 'false'])
  return domain.kind === 'code' ? new Set(domain.codes.keys()) : undefined
}

function checkBins({ cuts, shares }: ProfileDefinition['risk'], faults: FaultList): void {
  if (shares.length !== cuts.length + 1) faults.add('', 'profile', 'needs one share more than cuts')
  if (!isAscending(cuts)) faults.add('/cuts', 'profile', 'must be in ascending order, no two the same')
  checkSum(shares, faults)
}

function checkSum(shares: readonly number[], faults: FaultList): void {
  const sum = shares.reduce((total, share) => total + share, 0)
  if (Math.abs(sum - 1) > ROUNDING) faults.add('', 'profile', 'its shares do not add up to 1')
}

export function isAscending(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => index === 0 || number > (numbers[index - 1] as number))
}
