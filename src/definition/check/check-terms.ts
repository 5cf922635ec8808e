/** Checks that every term of a model has its points for every value that its input may have. */
import { bandsCover } from '../cover.ts'
import { type Domain, rangeOf } from '../domain.ts'
import type { FaultList } from '../fault.ts'
import type { ModelDefinition } from '../model.ts'
import type { SimpleTermDefinition, TermDefinition } from '../term.ts'

type Inputs = ReadonlyMap<string, Domain>

export function checkTerms(model: ModelDefinition, inputs: Inputs, faults: FaultList): void {
  const used = new Set<string>()
  model.terms.forEach((term, index) => {
    const path = `/terms/${index}`
    for (const field of fieldsOf(term)) used.add(field)
    if (term.kind !== 'product') checkTerm(path, term, model, inputs, faults)
    else term.factors.forEach((each, at) => checkTerm(`${path}/factors/${at}`, each, model, inputs, faults))
  })
  for (const [name, input] of Object.entries(model.inputs)) {
    const limits = input.from ?? input.to ?? input.values
    if (!used.has(name) && limits === undefined) {
      faults.add(`/inputs/${name}`, 'unused-input', 'no term uses this input, and it limits no population')
    }
  }
}

/** The fields that a term reads. */
function fieldsOf(term: TermDefinition): readonly string[] {
  if (term.kind === 'product') return term.factors.flatMap(fieldsOf)
  return term.kind === 'count' ? Object.keys(term.below) : [term.field]
}

function checkTerm(
  path: string,
  term: SimpleTermDefinition,
  model: ModelDefinition,
  inputs: Inputs,
  faults: FaultList,
): void {
  for (const field of fieldsOf(term)) {
    const domain = inputs.get(field)
    if (domain !== undefined) checkDomain(path, term, domain, faults)
    else if (!Object.hasOwn(model.inputs, field)) {
      faults.add(path, 'unknown-input', `${field} is not among the model's inputs`)
    }
  }
  if (term.kind === 'absent' && model.inputs[term.field]?.whenAbsent === undefined) {
    faults.add(path, 'absence', `${term.field} is required, so it is never absent when a risk is computed`)
  }
  if (term.kind === 'spline') {
    const { knots, coefficients } = term
    if (knots.some((knot, index) => index > 0 && knot <= (knots[index - 1] as number))) {
      faults.add(`${path}/knots`, 'knots', 'must be in ascending order, no two the same')
    }
    if (coefficients.length !== knots.length - 1) {
      faults.add(`${path}/coefficients`, 'knots', `must be ${knots.length - 1}, one less than knots`)
    }
  }
  if (term.kind === 'count') {
    const count = Object.keys(term.below).length
    bandsCover(`${path}/bands`, term.bands, { kind: 'integer', from: 0, to: count }, faults)
  }
}

function checkDomain(path: string, term: SimpleTermDefinition, domain: Domain, faults: FaultList): void {
  const range = rangeOf(domain)
  switch (term.kind) {
    case 'category':
      if (domain.kind !== 'code') faults.add(path, 'term-type', 'a category needs a field of codes')
      else checkCodes(`${path}/points`, Object.keys(term.points), [...domain.codes.keys()], faults)
      return
    case 'flag':
      if (domain.kind !== 'yesNo') faults.add(path, 'term-type', 'a flag needs a yes/no field')
      return
    case 'banded':
      if (range !== undefined) bandsCover(`${path}/bands`, term.bands, domain, faults)
      else faults.add(path, 'term-type', 'bands need a field of numbers')
      return
    case 'logarithm':
      if (range === undefined) faults.add(path, 'term-type', 'a logarithm needs a field of numbers')
      else if (term.plus + range.from <= 0)
        faults.add(`${path}/plus`, 'logarithm', 'the logarithm of 0 or less is not a number')
      return
    case 'linear':
    case 'square':
    case 'count':
    case 'spline':
      if (range === undefined) faults.add(path, 'term-type', 'needs a field of numbers')
      return
    case 'absent':
  }
}

function checkCodes(
  path: string,
  given: readonly string[],
  expected: readonly string[],
  faults: FaultList,
): void {
  for (const code of expected) {
    if (!given.includes(code)) faults.add(path, 'codes-complete', `has no points for the code ${code}`)
  }
  for (const code of given) {
    if (!expected.includes(code))
      faults.add(path, 'codes-complete', `has points for ${code}, which cannot occur`)
  }
}
