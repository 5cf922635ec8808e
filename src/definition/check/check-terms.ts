/** Checks that every term of a model has its points for every value that its input may have. */
import { bandsCover } from '../cover.ts'
import { type Domain, rangeOf } from '../domain.ts'
import type { FaultList } from '../fault.ts'
import type { ModelDefinition } from '../model.ts'
import type { SimpleTermDefinition, TermDefinition } from '../term.ts'
import type { ProfileDefinition } from '../profile.ts'

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

function checkDomain(term: SimpleTermDefinition, domain: Domain, faults: FaultList): void {
  const range = rangeOf(domain)
  const needs = (message: string): void => faults.add('', 'term-type', message)
  switch (term.kind) {
    case 'category':
      if (domain.kind !== 'code') needs('a category needs a field of codes')
      else checkCodes(Object.keys(term.points), [...domain.codes.keys()], faults.at('/points'))
      return
    case 'flag':
      if (domain.kind !== 'yesNo') needs('a flag needs a yes/no field')
      return
    case 'banded':
      if (range === undefined) needs('bands need a field of numbers')
      else bandsCover(term.bands, domain, faults.at('/bands'))
      return
    case 'logarithm':
      if (range === undefined) needs('a logarithm needs a field of numbers')
      else if (term.plus + range.from <= 0)
        faults.add('/plus', 'logarithm', 'the logarithm of 0 or less is not a number')
      return
    case 'linear':
    case 'square':
    case 'count':
    case 'spline':
      if (range === undefined) needs('needs a field of numbers')
      return
    case 'absent':
  }
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

function isAscending(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => index === 0 || number > (numbers[index - 1] as number))
}
