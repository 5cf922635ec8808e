/** The models of a file, each as the sum that it adds up and the link that makes a risk of it. */
import { type Cases, type Known, expand } from './cases.ts'
import { type Evaluation, casesOf, predicateOf } from './evaluation.ts'
import { generalRegression, regression } from './regressions.ts'
import { stated } from '../source.ts'
import { type ModelTarget, type PmmlFile, type Scope, eventOf, scopeOf } from './scope.ts'
import { targeted } from './target.ts'
import { type Amount, type Value, byCase, times, total } from './values.ts'
import type { Element } from './xml.ts'

type Reader = (model: Element, scope: Scope) => ModelTarget

const IDENTITY = { kind: 'identity' } as const

const MODELS: Readonly<Record<string, Reader>> = {
  TreeModel: (model, scope) => ({ amount: byCase(treeCases(model, scope), true), link: IDENTITY }),
  RegressionModel: regression,
  GeneralRegressionModel: generalRegression,
  Scorecard: scorecard,
  MiningModel: ensemble,
}

export function modelIn(parent: Element): Element {
  const model = parent.children.find(
    ({ name }) => /(Model|Scorecard|Network|RuleSet)/.test(name) && name !== 'ModelVerification',
  )
  if (model === undefined) return parent.refuse('has no model')
  if (model.name in MODELS) return model
  return model.refuse(`this kind of model is not read; ${Object.keys(MODELS).join(', ')} are`)
}

export function outcomeOf(
  model: Element,
  file: PmmlFile,
  parent?: Scope,
  results?: ReadonlyMap<string, Value>,
): ModelTarget {
  const read = MODELS[model.name] as Reader
  model.oneOf('functionName', ['regression', 'classification'], model.string('functionName'))
  if (model.get('isScorable') === 'false') model.refuse('is not meant for scoring')
  const outcome = read(model, scopeOf(model, file, parent, results))
  const target = model.first('Targets')?.first('Target')
  if (target === undefined || model.get('functionName') !== 'regression') return outcome
  return targeted(outcome, target, file.known)
}

/** Follows the first child whose predicate is true; undefined is no result. */
function treeCases(model: Element, scope: Scope): Cases<number | undefined> {
  const strategy = model.oneOf('missingValueStrategy', [
    'none',
    'lastPrediction',
    'nullPrediction',
    'defaultChild',
  ])
  const whenNone = model.oneOf('noTrueChildStrategy', ['returnNullPrediction', 'returnLastPrediction'])
  const top = model.need('Node')
  const event = eventOf(model, scope.file, classesIn(top))
  const choose = (node: Element, at: Evaluation): 'here' | 'none' | number => {
    const children = node.all('Node')
    for (const [place, child] of children.entries()) {
      const truth = at.holds(predicateOf(child))
      if (truth === true) return place
      if (truth === false || strategy === 'none') continue
      if (strategy === 'defaultChild') {
        const chosen = children.findIndex((each) => each.get('id') === node.string('defaultChild'))
        return chosen === -1 ? node.refuse('names a defaultChild that it does not have') : chosen
      }
      return strategy === 'lastPrediction' ? 'here' : 'none'
    }
    return children.length === 0 || whenNone === 'returnLastPrediction' ? 'here' : 'none'
  }
  const follow = (node: Element, known: Known): Cases<number | undefined> => {
    const chosen = casesOf(node, scope, (at) => choose(node, at), known)
    return expand(chosen, known, (end, then) => {
      if (end === 'none') return { end: undefined }
      return end === 'here' ? { end: scoreOf(node, event) } : follow(node.all('Node')[end] as Element, then)
    })
  }
  const { known } = scope.file
  const started = casesOf(top, scope, (at) => at.holds(predicateOf(top)) === true)
  return expand(started, known, (isTrue, then) => (isTrue ? follow(top, then) : { end: undefined }))
}

function classesIn(node: Element): readonly string[] {
  const own = [
    ...node.all('ScoreDistribution').map((each) => each.string('value')),
    node.get('score') ?? [],
  ].flat()
  return [...new Set([...own, ...node.all('Node').flatMap(classesIn)])]
}

function scoreOf(node: Element, event: string | undefined): number | undefined {
  if (node.first('Regression', 'DecisionTree') !== undefined) node.refuse('has a model of its own')
  const score = node.get('score')
  if (event === undefined) return score === undefined ? undefined : node.numberIn(score)
  const shares = node.all('ScoreDistribution')
  if (shares.length === 0) return score === undefined ? undefined : Number(score === event)
  const share = shares.find((each) => each.get('value') === event)
  if (shares.some((each) => each.get('probability') !== undefined)) return share?.number('probability') ?? 0
  return (
    (share?.number('recordCount') ?? 0) / shares.reduce((sum, each) => sum + each.number('recordCount'), 0)
  )
}

function scorecard(model: Element, scope: Scope): ModelTarget {
  const parts: (number | Amount)[] = [model.number('initialScore', 0)]
  for (const characteristic of model.need('Characteristics').all('Characteristic')) {
    const attributes = characteristic.all('Attribute')
    const points = (at: Evaluation): Value => {
      const found = attributes.find((each) => at.holds(predicateOf(each)) === true)
      const [expression] = found?.first('ComplexPartialScore')?.children ?? []
      return expression === undefined ? found?.number('partialScore') : at.evaluate(expression)
    }
    parts.push(byCase(casesOf(characteristic, scope, points)))
  }
  return { amount: total(parts), link: IDENTITY }
}

/** Models that are added, averaged, or read one another's results. */
function ensemble(model: Element, scope: Scope): ModelTarget {
  const segmentation = model.need('Segmentation')
  const methods = ['sum', 'average', 'weightedAverage', 'weightedSum', 'x-weightedSum', 'modelChain'] as const
  const method = segmentation.oneOf(
    'multipleModelMethod',
    methods,
    segmentation.string('multipleModelMethod'),
  )
  segmentation.oneOf('missingPredictionTreatment', ['continue', 'returnMissing'])
  const segments = segmentation.all('Segment')
  for (const segment of segments)
    if (segment.first('True') === undefined) predicateOf(segment).refuse('chooses between models')
  if (method === 'modelChain') return chain(segments, scope)
  const isWeighted = method.toLowerCase().includes('weighted')
  const weights = segments.map((segment) => (isWeighted ? segment.number('weight', 1) : 1))
  const all = method.includes('verage') ? weights.reduce((sum, weight) => sum + weight, 0) : 1
  const parts = segments.map((segment, place) => {
    const part = outcomeOf(modelIn(segment), scope.file, scope)
    if (part.link.kind !== 'identity') segment.refuse('adds up probabilities of a formula')
    return times((weights[place] as number) / all, part.amount, segment)
  })
  return { amount: total(parts), link: IDENTITY }
}

function chain(segments: readonly Element[], scope: Scope): ModelTarget {
  const results = new Map<string, Value>()
  let last: ModelTarget = { amount: 0, link: IDENTITY }
  for (const segment of segments) {
    const model = modelIn(segment)
    last = outcomeOf(model, scope.file, scope, results)
    // Terms can express nothing of a formula's probability.
    if (last.link.kind !== 'identity') continue
    for (const output of model.first('Output')?.all('OutputField') ?? []) {
      const name = output.string('name')
      const feature = output.get('feature') ?? 'predictedValue'
      const isRisk = feature === 'probability' && output.get('value') === stated(scope.file.options, 'event')
      const [expression] = output.children
      if (feature === 'predictedValue' || isRisk) results.set(name, last.amount)
      else if (feature === 'transformedValue' && expression !== undefined) {
        const cases = casesOf(output, { ...scope, results }, (at) => at.evaluate(expression))
        results.set(name, 'end' in cases ? cases.end : byCase(cases))
      }
    }
  }
  return last
}
