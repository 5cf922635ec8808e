/** Checks that every term of a model has its points for every value that its input may have, and every score its risk. */
import { bandsCover } from '../cover.ts'
import { type Domain, type Domains, codesIn, rangeOf } from '../domain.ts'
import type { FaultList } from '../fault.ts'
import type { ModelDefinition, OriginalLinkDefinition, ProfileDefinition } from '../model.ts'
import { type ScoreRange, scoreRange } from '../score-range.ts'
import type { PowerDefinition } from '../curve.ts'
import type { SimpleTermDefinition, TermDefinition } from '../term.ts'
import { fieldsOfTrees } from '../trees.ts'
import { checkTreeCount, checkTrees } from './check-trees.ts'

export function checkTerms(model: ModelDefinition, inputs: Domains, faults: FaultList): void {
  const used = new Set<string>()
  checkTreeCount(model, faults)
  model.terms.forEach((term, index) => {
    const here = faults.at(`/terms/${index}`)
    for (const field of fieldsOf(term)) used.add(field)
    if (term.kind === 'trees') checkTrees(term, model, inputs, here)
    else if (term.kind !== 'product') checkTerm(term, model, inputs, here)
    else term.factors.forEach((each, at) => checkTerm(each, model, inputs, here.at(`/factors/${at}`)))
  })
  for (const [name, input] of Object.entries(model.inputs)) {
    const limits = input.from ?? input.to ?? input.values
    if (!used.has(name) && limits === undefined)
      faults.add(`/inputs/${name}`, 'unused-input', 'no term uses this input, and it limits no population')
  }
}

export function fieldsOf(term: TermDefinition): readonly string[] {
  if (term.kind === 'product') return term.factors.flatMap(fieldsOf)
  if (term.kind === 'trees') return fieldsOfTrees(term)
  return term.kind === 'count' ? Object.keys(term.below) : [term.field]
}

function checkTerm(
  term: SimpleTermDefinition,
  model: ModelDefinition,
  inputs: Domains,
  faults: FaultList,
): void {
  for (const field of fieldsOf(term)) {
    const domain = inputs.get(field)
    if (domain !== undefined) checkDomain(term, domain, faults)
    else if (!Object.hasOwn(model.inputs, field))
      faults.add('', 'unknown-input', `${field} is not among the model's inputs`)
    if (term.kind !== 'absent' && model.inputs[field]?.whenAbsent === null)
      faults.add('', 'absence', `${field} has no number when it is absent; only trees can take that`)
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
  else if (term.kind === 'category') {
    const [given, expected] = [Object.keys(term.points), [...codesIn(domain).keys()]]
    const add = (message: string): void => faults.add('/points', 'codes-complete', message)
    for (const code of expected) if (!given.includes(code)) add(`has no points for the code ${code}`)
    for (const code of given) if (!expected.includes(code)) add(`has points for ${code}, which cannot occur`)
  } else if (term.kind === 'banded') bandsCover(term.bands, domain, faults.at('/bands'))
  else if (term.kind === 'logarithm' && term.plus + (range?.from ?? 0) <= 0)
    faults.add('/plus', 'logarithm', 'the logarithm of 0 or less is not a number')
  else if (term.kind === 'power') checkPower(term, range?.from ?? 0, faults)
}

/** Logarithms, roots and quotients are taken of what is above 0. */
function checkPower(
  { exponent, plus = 0, timesLogarithm }: PowerDefinition,
  from: number,
  faults: FaultList,
): void {
  const isProduct = exponent > 0 && Number.isInteger(exponent) && timesLogarithm !== true
  if (!isProduct && from + plus <= 0)
    faults.add('/plus', 'power', `needs values above 0, and the lowest is ${from + plus}`)
}

/** Shares are stored rounded, so their sum is not exactly 1. */
const ROUNDING = 0.01

export function checkProfile(profile: ProfileDefinition, inputs: Domains, faults: FaultList): void {
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

/** Far above any published table; a definition with more is a mistake. */
const MOST_SCORES = 10_000
/** The answer has four decimals, and the rounded number decides between Yes and No. */
const ANSWER_UNITS = 10_000

/** Every score that the model can reach has a risk, and the threshold fits. */
export function checkLink(model: ModelDefinition, inputs: Domains, faults: FaultList): void {
  const range = scoreRange(model, inputs)
  const link = model.link.kind === 'recalibrated' ? model.link.of : model.link
  if (!Number.isFinite(range.from) || !Number.isFinite(range.to)) {
    faults.add('/terms', 'not-finite', 'the points can grow beyond every number')
    return
  }
  if (link.kind === 'scoreTable' || link.kind === 'strata') {
    if (!range.isWhole || range.to - range.from > MOST_SCORES) {
      const why = range.isWhole
        ? `has room for ${MOST_SCORES} scores at most`
        : 'needs terms that give whole points only'
      faults.add('/terms', 'whole-points', `a table of scores ${why}`)
      return
    }
    checkScores(link, range, faults)
  }
  if (link.kind === 'identity' && (range.from < 0 || range.to > 1)) {
    const scores = `the terms can add up to anything from ${range.from} to ${range.to}`
    faults.add('/link', 'probability', `${scores}, and a probability lies between 0 and 1`)
  }
  if (link.kind === 'strata') checkStrata(link, faults)
  checkThreshold(model, faults)
}

/** Every score between the lowest and the highest has one risk. Neighbours with the same fault are reported once. */
function checkScores(link: TableLink, range: ScoreRange, faults: FaultList): void {
  const runs: { rule: string; from: number; to: number }[] = []
  for (let score = range.from; score <= range.to; score++) {
    const { length } = risksAt(link, score)
    if (length === 1) continue
    const rule = length === 0 ? 'score-gap' : 'score-overlap'
    const last = runs[runs.length - 1]
    if (last?.rule === rule && last.to === score - 1) last.to = score
    else runs.push({ rule, from: score, to: score })
  }
  for (const { rule, from, to } of runs) {
    const scores = from === to ? `the score ${from}` : `the scores from ${from} to ${to}`
    const risks = rule === 'score-gap' ? 'no' : 'more than one'
    faults.add('/link', rule, `${scores} can be reached and ${risks} risk is given`)
  }
}

type TableLink = Extract<OriginalLinkDefinition, { kind: 'scoreTable' | 'strata' }>

function risksAt(link: TableLink, score: number): readonly number[] {
  if (link.kind === 'scoreTable') {
    const risk = link.risks[score - link.from]
    return risk === undefined ? [] : [risk]
  }
  return link.strata.filter(({ from, to }) => score >= from && score <= to).map(({ risk }) => risk)
}

/** A stratum starts before it ends, and a risk that has counts must be their quotient, as far as the paper prints it. */
function checkStrata({ strata }: Extract<TableLink, { kind: 'strata' }>, faults: FaultList): void {
  strata.forEach(({ from, to, risk, events, of }, index) => {
    const here = faults.at(`/link/strata/${index}`)
    if (from > to) here.add('', 'strata-order', '`from` lies above `to`')
    if ((events === undefined) !== (of === undefined))
      here.add('', 'counts', '`events` and `of` are given together')
    else if (events !== undefined && of !== undefined && Math.abs(events / of - risk) > 0.0005)
      here.add('/risk', 'counts', `is not ${events} of ${of}`)
  })
}

function checkThreshold({ link, threshold }: ModelDefinition, faults: FaultList): void {
  if (threshold === undefined) return
  const { risk, score } = threshold
  const add = (path: string, message: string): void => faults.add(`/threshold${path}`, 'threshold', message)
  if (Math.abs(risk * ANSWER_UNITS - Math.round(risk * ANSWER_UNITS)) > 1e-6)
    add('/risk', 'has at most four decimals, as the answers have')
  if (score === undefined) return
  if (link.kind !== 'scoreTable' && link.kind !== 'strata')
    add('/score', 'only a table of scores has a threshold score')
  else if (risksAt(link, score)[0] !== risk) add('/risk', `is not the risk of the score ${score}`)
}
