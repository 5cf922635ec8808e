/** Checks that every term of a model has its points for every value that its input may have. */
import { bandsCover } from '../cover.ts'
import { type Domain, codesIn, rangeOf } from '../domain.ts'
import type { FaultList } from '../fault.ts'
import type { ModelDefinition, ProfileDefinition } from '../model.ts'
import type { SimpleTermDefinition, TermDefinition } from '../term.ts'

type Inputs = ReadonlyMap<string, Domain>

export function checkTerms(model: ModelDefinition, inputs: Inputs, faults: FaultList): void {
  const used = new Set<string>()
  model.terms.forEach((term, index) => {
    const here = faults.at(`/terms/${index}`)
    for (const field of fieldsOf(term)) used.add(field)
    if (term.kind !== 'product') checkTerm(term, model, inputs, here)
    else term.factors.forEach((each, at) => checkTerm(each, model, inputs, here.at(`/factors/${at}`)))
  })
  for (const [name, input] of Object.entries(model.inputs)) {
    const limits = input.from ?? input.to ?? input.values
    if (!used.has(name) && limits === undefined)
      faults.add(`/inputs/${name}`, 'unused-input', 'no term uses this input, and it limits no population')
  }
}

/** The fields that a term reads. */
function fieldsOf(term: TermDefinition): readonly string[] {
  if (term.kind === 'product') return term.factors.flatMap(fieldsOf)
  return term.kind === 'count' ? Object.keys(term.below) : [term.field]
}

function checkTerm(
  term: SimpleTermDefinition,
  model: ModelDefinition,
  inputs: Inputs,
  faults: FaultList,
): void {
  for (const field of fieldsOf(term)) {
    const domain = inputs.get(field)
    if (domain !== undefined) checkDomain(term, domain, faults)
    else if (!Object.hasOwn(model.inputs, field))
      faults.add('', 'unknown-input', `${field} is not among the model's inputs`)
  }
  if (term.kind === 'absent' && model.inputs[term.field]?.whenAbsent === undefined)
    faults.add('', 'absence', `${term.field} is required, so it is never absent when a risk is computed`)
  if (term.kind === 'spline') {
    const { knots, coefficients } = term
    if (!isAscending(knots)) faults.add('/knots', 'knots', 'must be in ascending order, no two the same')
    if (coefficients.length !== knots.length - 1)
      faults.add('/coefficients', 'knots', `must be ${knots.length - 1}, one less than knots`)
  }
  if (term.kind === 'count') {
    const count = Object.keys(term.below).length
    bandsCover(term.bands, { kind: 'integer', from: 0, to: count }, faults.at('/bands'))
  }
}

/** What a kind of term asks of its field, where it is not just a number. */
const NEEDS: Partial<Record<TermDefinition['kind'], string>> = {
  category: 'a category needs a field of codes',
  flag: 'a flag needs a yes/no field',
  banded: 'bands need a field of numbers',
  logarithm: 'a logarithm needs a field of numbers',
}

function checkDomain(term: SimpleTermDefinition, domain: Domain, faults: FaultList): void {
  if (term.kind === 'absent') return
  const range = rangeOf(domain)
  const kind = { category: 'code', flag: 'yesNo' }[term.kind as string]
  if (kind === undefined ? range === undefined : kind !== domain.kind)
    faults.add('', 'term-type', NEEDS[term.kind] ?? 'needs a field of numbers')
  else if (term.kind === 'category')
    checkCodes(Object.keys(term.points), [...codesIn(domain).keys()], faults.at('/points'))
  else if (term.kind === 'banded') bandsCover(term.bands, domain, faults.at('/bands'))
  else if (term.kind === 'logarithm' && term.plus + (range?.from ?? 0) <= 0)
    faults.add('/plus', 'logarithm', 'the logarithm of 0 or less is not a number')
}

function checkCodes(given: readonly string[], expected: readonly string[], faults: FaultList): void {
  for (const code of expected)
    if (!given.includes(code)) faults.add('', 'codes-complete', `has no points for the code ${code}`)
  for (const code of given)
    if (!expected.includes(code))
      faults.add('', 'codes-complete', `has points for ${code}, which cannot occur`)
}

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
    const codes = domain?.kind === 'yesNo' ? ['true', 'false'] : [...codesIn(domain).keys()]
    if (domain === undefined) here.add('', 'unknown-input', `${name} is not among the model's inputs`)
    else if ('codes' in input !== codes.length > 0)
      here.add('', 'profile', codes.length === 0 ? 'needs cuts and shares' : 'needs the shares of its codes')
    else if ('codes' in input) {
      for (const code of Object.keys(input.codes))
        if (!codes.includes(code)) here.add('/codes', 'profile', `${code} cannot occur`)
      checkSum(Object.values(input.codes), here)
    } else checkBins(input, here)
  }
  checkBins(profile.risk, faults.at('/risk'))
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

function isAscending(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => index === 0 || number > (numbers[index - 1] as number))
}
