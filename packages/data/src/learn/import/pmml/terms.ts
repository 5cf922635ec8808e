/** The sum that a file stands for, as terms of a model over its features. */
import type {
  PointsBandDefinition,
  SimpleTermDefinition,
  SplitDefinition,
  TermDefinition,
  TreeDefinition,
  TreeNode,
} from 'patient-risk-engine/definition'
import {
  type Cases,
  type Fork,
  type Question,
  endsOf,
  forksIn,
  isPresence,
  mapEnds,
  questionsIn,
  whenPresent,
} from './cases.ts'
import { type Factor, type Product, type Value, isAmount } from './values.ts'
import type { Element } from './xml.ts'

type Numbers = Cases<number>
/** The codes of each feature of codes. It may have others where the list is open. */
export type Codes = ReadonlyMap<string, { readonly list: readonly string[]; readonly isOpen: boolean }>

export function termsOf(
  sum: readonly Product[],
  codes: Codes,
  of: Element,
): { readonly constant: number; readonly terms: readonly TermDefinition[] } {
  let constant = 0
  const terms: TermDefinition[] = []
  const trees: Weighted[] = []
  const add = ({ coefficient, factors }: Product): void => {
    of.take(1 + factors.length)
    if (coefficient === 0) return
    const factor = factors.find((each) => 'cases' in each)
    if (factor !== undefined) {
      addCases(factor, { coefficient, factors: factors.filter((each) => each !== factor) })
      return
    }
    const [only, ...more] = factors.map(termOf)
    if (only === undefined) constant += coefficient
    else if (more.length > 0) terms.push({ kind: 'product', factors: [only, ...more], coefficient })
    else terms.push(scaled(only, coefficient))
  }
  /** One sum of products for each formula that the cases end with. */
  const addCases = ({ cases, isTree }: CaseFactor, rest: Product): void => {
    const shapes = new Map<string, readonly Factor[]>([['[]', []]])
    const ends = endsOf(cases)
    for (const end of ends)
      if (isAmount(end))
        for (const { coefficient, factors } of end.sum)
          if (coefficient !== 0) shapes.set(JSON.stringify(factors), factors)
    const products = ends.reduce((sum: number, end) => sum + (isAmount(end) ? end.sum.length : 1), 0)
    of.take(products * shapes.size)
    // The import refuses absence of what these are about.
    const numeric = new Set(
      [rest.factors, ...shapes.values()].flat().map((each) => 'field' in each && each.field),
    )
    for (const [shape, factors] of shapes) {
      const numbers = mapEnds(cases, (end) => coefficientIn(end, shape))
      addNumbers(numbers, { ...rest, factors: [...rest.factors, ...factors] }, isTree, numeric)
    }
  }
  const addNumbers = (
    numbers: Numbers,
    rest: Product,
    isTree: boolean,
    numeric: ReadonlySet<unknown>,
  ): void => {
    const given = whenPresent(numbers)
    const asked = new Set(questionsIn(given).map((question) => question.field))
    const [field = '', ...others] = asked
    const other = others.length === 0 && codes.get(field)?.isOpen === true ? numberAt(given, '') : 0
    const isAlone = rest.factors.length === 0
    /** Of an absent feature, a category gives 0 and any other term has no result; only trees can take it otherwise. */
    const isUsual = ({ question, absent }: Fork<number>): boolean => {
      if (absent === undefined || numeric.has(question.field)) return true
      const isOne = others.length === 0
      const ofNumber = isAlone ? Number.NaN : undefined
      const expected = codes.has(question.field) ? other : ofNumber
      const isAsked =
        asked.has(question.field) && (isOne || (!isAlone && codes.get(question.field)?.isOpen !== true))
      return isAsked && endsOf(absent).every((end) => expected === undefined || Object.is(end, expected))
    }
    const isTotal = !endsOf(given).some(Number.isNaN) && forksIn(numbers).every(isUsual)
    if (isTotal && 'end' in given) add({ ...rest, coefficient: rest.coefficient * given.end })
    else if (isTotal && !isTree && others.length === 0) {
      add({ ...rest, coefficient: rest.coefficient * other })
      const points = mapEnds(given, (end) => end - other)
      of.take(codes.get(field)?.list.length ?? 0)
      add({ ...rest, factors: [{ term: pointsBy(field, points, codes) }, ...rest.factors] })
    } else if (isAlone) trees.push({ weight: rest.coefficient, tree: numbers })
    else if (!isTotal || 'end' in given) of.refuse('a missing value has a meaning that terms cannot express')
    else
      for (const side of ['yes', 'no'] as const) {
        const { question, [side]: part } = given
        const chosen = { question, yes: { end: Number(side === 'yes') }, no: { end: Number(side === 'no') } }
        const factors = [{ cases: chosen, isTree: false }, ...rest.factors]
        if (part) addNumbers(part, { ...rest, factors }, isTree, numeric)
      }
  }
  for (const product of sum) add(product)
  return { constant, terms: [...oneCategoryEach(terms), ...forestOf(trees, codes)] }
}

type CaseFactor = Extract<Factor, { cases: unknown }>
interface Weighted {
  readonly weight: number
  readonly tree: Numbers
}

function coefficientIn(value: Value, shape: string): number {
  if (isAmount(value))
    return value.sum.reduce(
      (sum, { coefficient, factors }) => sum + (JSON.stringify(factors) === shape ? coefficient : 0),
      0,
    )
  if (shape !== '[]') return 0
  return value === undefined ? Number.NaN : Number(value)
}

function termOf(factor: Factor): SimpleTermDefinition {
  if ('term' in factor) return factor.term
  const { field, plus, exponent } = factor as Extract<Factor, { field: string }>
  if (plus === 0 && (exponent === 1 || exponent === 2))
    return { kind: exponent === 1 ? 'linear' : 'square', field, coefficient: 1 }
  if (plus === 0) return { kind: 'power', field, exponent, coefficient: 1 }
  return { kind: 'power', field, plus, exponent, coefficient: 1 }
}

function scaled(term: SimpleTermDefinition, by: number): TermDefinition {
  if (term.kind === 'banded')
    return { ...term, bands: term.bands.map((band) => ({ ...band, points: band.points * by })) }
  if (term.kind === 'category') {
    const points = Object.entries(term.points).map(([code, each]) => [code, each * by] as const)
    return { ...term, points: Object.fromEntries(points) }
  }
  return { ...term, coefficient: by } as TermDefinition
}

/** Numbers that one feature decides, as points by its codes or bands. */
function pointsBy(field: string, numbers: Numbers, codes: Codes): SimpleTermDefinition {
  const known = codes.get(field)?.list
  if (known !== undefined)
    return {
      kind: 'category',
      field,
      points: Object.fromEntries(known.map((code) => [code, numberAt(numbers, code)])),
    }
  const questions = questionsIn(numbers).filter((question) => 'edge' in question)
  const byEdge = [...new Map(questions.map((question) => [question.edge, question])).values()]
  let last: PointsBandDefinition = { points: numberAt(numbers, -Infinity) }
  const bands: PointsBandDefinition[] = []
  for (const { edge, written } of byEdge.sort((one, other) => one.edge - other.edge)) {
    const points = numberAt(numbers, edge)
    if (last.points === points) continue
    const { upTo } = written?.rounding === 'none' ? written : {}
    if (upTo === undefined) {
      bands.push({ ...last, below: edge })
      last = { from: edge, points }
    } else {
      bands.push({ ...last, to: upTo })
      last = { above: upTo, points }
    }
  }
  return { kind: 'banded', field, bands: [...bands, last] }
}

function numberAt(numbers: Numbers, value: number | string): number {
  if ('end' in numbers) return numbers.end
  const { question, yes, no } = numbers
  const isYes = 'edge' in question ? Number(value) < question.edge : question.codes.includes(String(value))
  return numberAt(((isYes ? yes : no) ?? yes ?? no) as Numbers, value)
}

function oneCategoryEach(terms: readonly TermDefinition[]): readonly TermDefinition[] {
  const categories = new Map<string, Extract<TermDefinition, { kind: 'category' }>>()
  for (const term of terms) {
    if (term.kind !== 'category') continue
    const before = categories.get(term.field)?.points ?? {}
    const points = Object.entries(term.points).map(
      ([code, each]) => [code, each + (before[code] ?? 0)] as const,
    )
    categories.set(term.field, { ...term, points: Object.fromEntries(points) })
  }
  return [...terms.filter(({ kind }) => kind !== 'category'), ...categories.values()]
}

function forestOf(trees: readonly Weighted[], codes: Codes): readonly TermDefinition[] {
  if (trees.length === 0) return []
  const isMean = trees.length > 1 && trees.every(({ weight }) => weight === 1 / trees.length)
  const asked = trees
    .flatMap(({ tree }) => questionsIn(tree))
    .filter((each) => !isPresence(each) && 'edge' in each)
  const roundings = new Set(asked.map((question) => 'edge' in question && question.written?.rounding))
  const [rounding = 'none', ...others] = roundings
  const common = others.length === 0 && rounding !== false ? rounding : undefined
  const nodes = trees.map(({ tree, weight }) =>
    nodesOf(tree, isMean ? 1 : weight, common !== undefined, codes),
  )
  const combine = isMean ? 'mean' : 'sum'
  return [{ kind: 'trees', combine, rounding: common ?? 'none', trees: nodes }]
}

/** The nodes of a tree, each before its branches. Where absent values go a way of their own, a question is asked twice. */
function nodesOf(tree: Numbers, weight: number, isWritten: boolean, codes: Codes): TreeDefinition {
  const nodes: TreeNode[] = []
  const add = (cases: Numbers): number => {
    const place = nodes.length
    if ('end' in cases) {
      nodes.push(cases.end * weight)
      return place
    }
    const { question, yes, no, absent } = cases
    // No record has this code, so that only an absent one goes to `then`.
    if (isPresence(question) && codes.has(question.field))
      return add({ question: { field: question.field, codes: [''] }, yes: absent, no: yes, absent })
    nodes.push(0)
    const ways =
      absent === undefined || absent === no || yes === undefined || no === undefined
        ? ([yes ?? absent, no ?? absent] as const)
        : ([absent === yes ? yes : { question, yes, absent }, no] as const)
    const split = { field: question.field, ...questionOf(question, isWritten) }
    const side = absent === undefined || (absent === no && yes) || (yes && !no) ? 'else' : 'then'
    nodes[place] = { ...split, then: add(ways[0] as Numbers), else: add(ways[1] as Numbers), absent: side }
    return place
  }
  add(tree)
  return nodes
}

/** The largest number of 32 bits: every value goes to `then`, also when it is rounded. */
const LARGEST = (2 - 2 ** -23) * 2 ** 127

function questionOf(
  question: Question,
  isWritten: boolean,
): Pick<SplitDefinition, 'below' | 'upTo' | 'oneOf'> {
  if ('codes' in question) return { oneOf: [...question.codes] }
  if (isPresence(question)) return { upTo: LARGEST }
  const { below, upTo } = isWritten && question.written ? question.written : { below: question.edge }
  return upTo === undefined ? { below: below ?? question.edge } : { upTo }
}
