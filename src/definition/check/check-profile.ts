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
    const path = `/profile/inputs/${name}`
    const domain = inputs.get(name)
    if (domain === undefined) {
      faults.add(path, 'unknown-input', `${name} is not among the model's inputs`)
      continue
    }
    const hasCodes = domain.kind === 'code' || domain.kind === 'yesNo'
    if ('codes' in input !== hasCodes) {
      faults.add(path, 'profile', hasCodes ? 'needs the shares of its codes' : 'needs cuts and shares')
      continue
    }
    if ('codes' in input) checkCodes(path, input.codes, domain, faults)
    else checkBins(path, input, faults)
  }
  checkBins('/profile/risk', profile.risk, faults)
}

function checkCodes(
  path: string,
  codes: Readonly<Record<string, number>>,
  domain: Domain,
  faults: FaultList,
): void {
  for (const code of Object.keys(codes)) {
    const isKnown = domain.kind === 'code' ? domain.codes.has(code) : code === 'true' || code === 'false'
    if (!isKnown) faults.add(`${path}/codes`, 'profile', `${code} cannot occur`)
  }
  checkSum(path, Object.values(codes), faults)
}

function checkBins(
  path: string,
  { cuts, shares }: { readonly cuts: readonly number[]; readonly shares: readonly number[] },
  faults: FaultList,
): void {
  if (shares.length !== cuts.length + 1) faults.add(path, 'profile', 'needs one share more than cuts')
  if (cuts.some((cut, index) => index > 0 && cut <= (cuts[index - 1] as number))) {
    faults.add(`${path}/cuts`, 'profile', 'must be in ascending order, no two the same')
  }
  checkSum(path, shares, faults)
}

function checkSum(path: string, shares: readonly number[], faults: FaultList): void {
  const sum = shares.reduce((total, share) => total + share, 0)
  if (Math.abs(sum - 1) > ROUNDING) faults.add(path, 'profile', 'its shares do not add up to 1')
}
