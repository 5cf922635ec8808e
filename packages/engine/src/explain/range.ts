/**
 * The lowest and highest risk that a record could have, over every value that its missing inputs may take. Exact: inputs that
 * share a term are tried together, and the ends are risks that the model gives for values that reach them. With trees they may lie
 * wider where so many inputs are missing that their values cannot be tried together.
 */
import type { Domain } from '../definition/domain.ts'
import type { ModelDefinition } from '../definition/model.ts'
import type { RecordResult } from '../answer/assess.ts'
import { type Shape, shapeOf } from '../expression/shape.ts'
import type { FieldPlan, Plan } from '../plan/plan.ts'
import { STATE, type Slots } from '../plan/slots.ts'
import { roundRisk } from '../score/link.ts'
import type { CompiledModel, Term } from '../score/model.ts'
import type { TreeTable } from '../score/trees.ts'
import { candidatesOf } from './candidates.ts'
import { AllCombinations, type Combination, EndCombinations } from './combinations.ts'
import { type Group, groupsOf, isAlone, shareOf } from './groups.ts'
import { reduceCandidates } from './reduce-candidates.ts'
import { treeBounds } from './tree-range.ts'
import { compileTreeValues } from './tree-values.ts'
import { type Domains, compileUnknownInputs } from './unknown-inputs.ts'
import { UNMETERED, type WorkBudget, WorkMeter, withinRecord } from '../work-meter.ts'

export interface RiskRange {
  /** The inputs that are missing, invalid or assumed. */
  readonly inputs: readonly string[]
  /** Over all permitted values of these inputs. */
  readonly possible: readonly [number, number]
  /** Over the values from the 1st to the 99th percentile of the model's data; null where the model does not state them. */
  readonly usual: readonly [number, number] | null
  /** The answer, where every possible value gives the same one; null where there is no threshold too. */
  readonly decided: 'Yes' | 'No' | null
}

const ROUNDING = 1e-9
/** Of an input that no term reads. */
const FLAT: Shape = { edges: [], isBent: false }
/** To compare a value with the others takes so many times as long as to evaluate a term. */
const CANDIDATE_STEPS = 50
/** With more steps than this, trees are bounded one by one. All values and the usual ones must fit into the steps of a record. */
const EXACT_STEPS = 200_000
type RangedModel = Pick<ModelDefinition, 'inputs' | 'profile'>
type Ends = readonly [number, number]

/** Finds the range of the record that was assessed last, unless that would take more steps than a record may. */
export type FindRange = (
  slots: Slots,
  result: RecordResult,
  threshold: number | undefined,
  budget?: WorkBudget,
) => RiskRange | null | 'too much work'

/** Compiles the range of the record that was assessed last. The slots are as before when it returns. */
export function compileRange(plan: Plan, model: RangedModel, compiled: CompiledModel): FindRange {
  const unknown = compileUnknownInputs(plan, model)
  const nameOf = (slot: number): string => (plan.fields[slot] as FieldPlan).name
  const mayBeAbsent = new Set(
    compiled.assumed.filter(({ value }) => Number.isNaN(value)).map(({ slot }) => slot),
  )
  const plain = compiled.terms.filter(({ trees }) => trees === undefined)
  /** The shape of the terms that read an input; undefined where none does. */
  const shapes = new Map<number, Shape>()
  for (const slot of unknown.inputs) {
    const own = plain.filter(({ slots }) => slots.includes(slot)).map(({ node }) => node)
    if (own.length > 0) shapes.set(slot, shapeOf(own, slot))
  }
  const { isMonotone } = compiled
  const tables = compiled.terms.flatMap(({ trees }) => trees ?? [])
  const treeValues = compileTreeValues(tables)
  /** How many steps it takes to score a record once, with trees of usual shape. */
  const stepsOfScore = compiled.terms.length + tables.reduce((sum, table) => sum + stepsOfTrees(table), 0)
  /** The points of an input that shares no term depend on nothing else in the record. */
  const known = new WeakMap<Domain, readonly Combination[]>()
  const riskAt = (score: number): number => roundRisk(compiled.probability(score))

  /** The lowest and highest risk over these values. It is null if an input has no possible value. */
  const endsOver = (domains: Domains, slots: Slots, meter: WorkMeter): Ends | null => {
    for (const slot of domains.keys()) slots.states[slot] = STATE.valid
    const groups = groupsOf(plain, [...domains.keys()]).map((group) => sumsOf(group, domains, slots, meter))
    if (groups.some((sums) => sums.length === 0)) return null
    if (compiled.terms.some(({ trees, slots: own }) => trees && own.some((slot) => domains.has(slot))))
      return endsOfAll(domains, slots, meter) ?? endsWithTrees(groups, domains, slots, meter)
    return isMonotone ? endsOf(groups, slots) : endsOfSet(groups, domains, slots, meter)
  }

  /** The points that a group can add up to, each with values that give them: the lowest and highest, or all of them. */
  const sumsOf = (group: Group, domains: Domains, slots: Slots, meter: WorkMeter): readonly Combination[] => {
    const [first = -1] = group.slots
    const domain = domains.get(first) as Domain
    if (group.terms.some((term) => term.slots.length > 1) || !unknown.isOfModel(domain))
      return tryAll(group, domains, slots, meter)
    // Computed once for all records, so it is no work of this one: what a record may cost must not depend on who comes first.
    const sums = known.get(domain) ?? tryAll(group, domains, slots, UNMETERED)
    known.set(domain, sums)
    return sums
  }

  const tryAll = (
    group: Group,
    domains: Domains,
    slots: Slots,
    meter: Pick<WorkMeter, 'take'>,
  ): readonly Combination[] => {
    const { values, states } = slots
    const lists = group.slots.map((slot) => {
      const alone = group.terms.filter((term) => isAlone(term, slot, group))
      const pointsAt = (value: number): number => {
        put(slots, slot, value)
        let points = 0
        for (const term of alone) points += term.points(values, states)
        return points
      }
      const meteredAt = (value: number): number => {
        meter.take(alone.length)
        return pointsAt(value)
      }
      const shape = shapes.get(slot) ?? FLAT
      const given = candidatesOf(domains.get(slot) as Domain, shape, meteredAt)
      const candidates = given.length > 0 && mayBeAbsent.has(slot) ? [...given, Number.NaN] : given
      const shared = group.terms.filter((term) => !alone.includes(term) && term.slots.includes(slot))
      meter.take(candidates.length * (CANDIDATE_STEPS + alone.length + shared.length))
      const shares = shared.map((term) => shareOf(term, slot))
      const vectorAt = (value: number): readonly number[] => {
        const vector = [pointsAt(value)]
        for (const share of shares) share(slots, vector)
        return vector
      }
      // A count among the factors of a product multiplies what the input brings, so no value can be left out.
      const isSimple = shared.every(
        (term) => term.factors?.every((factor) => factor.slots.length === 1) ?? true,
      )
      return reduceCandidates(candidates, vectorAt, isMonotone && isSimple)
    })
    const combinations = lists.reduce((product, list) => product * list.length, 1)
    meter.take(combinations * group.terms.length)
    const found = isMonotone ? new EndCombinations() : new AllCombinations()
    const choose = (at: number): void => {
      const slot = group.slots[at]
      if (slot === undefined) {
        let points = 0
        for (const term of group.terms) points += term.points(values, states)
        if (found.needs(points))
          found.add({ points, values: group.slots.map((each) => [each, values[each] as number] as const) })
        return
      }
      for (const value of lists[at] ?? []) {
        put(slots, slot, value)
        choose(at + 1)
      }
    }
    choose(0)
    return found.ascending()
  }

  const endsOf = (groups: readonly (readonly Combination[])[], slots: Slots): Ends | null => {
    const risks = [0, -1].map((end) => {
      for (const combinations of groups)
        for (const [slot, value] of combinations.at(end)?.values ?? []) put(slots, slot, value)
      return riskAt(compiled.score(slots.values, slots.states))
    })
    return endsAmong(risks)
  }

  /** The risks of all values of the inputs between which trees and terms change; null if they are too many. */
  const endsOfAll = (domains: Domains, slots: Slots, meter: WorkMeter): Ends | null => {
    const { values, states } = slots
    const open = [...domains.keys()]
    const lists: (readonly number[])[] = []
    let combinations = 1
    for (const [slot, domain] of domains) {
      const list = valuesIn(slot, domain, slots, meter)
      if (list === undefined) return null
      combinations *= list.length
      if (combinations * stepsOfScore > EXACT_STEPS) return null
      lists.push(list)
    }
    meter.take(combinations * stepsOfScore)
    const risks: number[] = []
    const choose = (at: number): void => {
      const slot = open[at]
      if (slot === undefined) {
        risks.push(riskAt(compiled.score(values, states)))
        return
      }
      for (const value of lists[at] ?? []) {
        put(slots, slot, value)
        choose(at + 1)
      }
    }
    choose(0)
    return endsAmong(risks)
  }

  /** Values of an input between which trees and terms change, NaN where it may be absent; undefined if they are too many. */
  const valuesIn = (
    slot: number,
    domain: Domain,
    slots: Slots,
    meter: WorkMeter,
  ): readonly number[] | undefined => {
    const shape = shapes.get(slot)
    const inTrees = treeValues(slot, domain)
    if (inTrees === undefined) return undefined
    const found = new Set(inTrees)
    if (shape !== undefined) {
      const own = plain.filter(({ slots: read }) => read.includes(slot))
      const pointsAt = (value: number): number => {
        meter.take(own.length)
        put(slots, slot, value)
        let points = 0
        for (const term of own) points += term.points(slots.values, slots.states)
        return points
      }
      for (const value of candidatesOf(domain, shape, pointsAt)) found.add(value)
    }
    if (mayBeAbsent.has(slot)) found.add(Number.NaN)
    return [...found]
  }

  /** The lowest points of every part, and the highest. */
  const endsWithTrees = (
    groups: readonly (readonly Combination[])[],
    domains: Domains,
    slots: Slots,
    meter: WorkMeter,
  ): Ends | null => {
    for (const domain of domains.values())
      if (domain.kind === 'list' && domain.values.length === 0) return null
    const parts = groups.map((sums): Ends => [sums[0]?.points ?? 0, sums.at(-1)?.points ?? 0])
    for (const { trees, slots: own, points } of compiled.terms) {
      if (trees !== undefined) parts.push(treeBounds(trees, slots.values, domains, mayBeAbsent, meter))
      else if (!own.some((slot) => domains.has(slot))) {
        const known = points(slots.values, slots.states)
        parts.push([known, known])
      }
    }
    let low = 0
    let high = 0
    for (const [lowest, highest] of parts) {
      low += lowest
      high += highest
    }
    // The parts are added in another order than the score, so the ends are moved by more than that can change them.
    const slack = (Math.abs(low) + Math.abs(high) + 1) * ROUNDING
    if (isMonotone) return endsAmong([boundedRisk(low - slack), boundedRisk(high + slack)])
    meter.take(high - low)
    const scores = Array.from({ length: Math.round(high - low) + 1 }, (_, place) => Math.round(low) + place)
    return endsAmong(scores.map(riskAt))
  }

  const boundedRisk = (score: number): number =>
    roundRisk(Math.min(1, Math.max(0, compiled.probability(score))))

  /** For tables of scores in which a higher score may have a lower risk: every score that can be reached. */
  const endsOfSet = (
    groups: readonly (readonly Combination[])[],
    domains: Domains,
    slots: Slots,
    meter: WorkMeter,
  ): Ends | null => {
    const isKnown = (term: Term): boolean => !term.slots.some((slot) => domains.has(slot))
    const base = compiled.terms
      .filter(isKnown)
      .reduce((sum, term) => sum + term.points(slots.values, slots.states), 0)
    let scores = new Set([base])
    for (const combinations of groups) {
      meter.take(scores.size * combinations.length)
      scores = new Set([...scores].flatMap((score) => combinations.map(({ points }) => score + points)))
    }
    return endsAmong([...scores].map(riskAt))
  }

  const rangeOf = (
    slots: Slots,
    result: RecordResult,
    threshold: number | undefined,
    meter: WorkMeter,
  ): RiskRange | null => {
    const domains = unknown.find(slots, result, meter)
    if (domains.size === 0) return null
    const values = slots.values.slice()
    const states = slots.states.slice()
    try {
      const possible = endsOver(domains, slots, meter)
      if (possible === null) return null
      const usual = unknown.usual(domains)
      return {
        inputs: [...domains.keys()].map(nameOf),
        possible,
        usual: usual && endsOver(usual, slots, meter),
        decided: decidedBy(possible, threshold),
      }
    } finally {
      slots.values.set(values)
      slots.states.set(states)
    }
  }

  return (slots, result, threshold, budget) => {
    const meter = new WorkMeter(budget)
    const found = withinRecord(() => rangeOf(slots, result, threshold, meter))
    return found === undefined ? 'too much work' : found
  }
}

function stepsOfTrees({ roots, branches }: TreeTable): number {
  return roots.length * (1 + Math.log2(1 + branches.length / roots.length))
}

/** A value that is tried; NaN for absence, where the model tells it apart. */
function put({ values, states }: Slots, slot: number, value: number): void {
  values[slot] = value
  states[slot] = Number.isNaN(value) ? STATE.assumed : STATE.valid
}

function endsAmong(risks: readonly number[]): Ends | null {
  let ends: Ends | null = null
  for (const risk of risks) {
    if (Number.isNaN(risk)) continue
    ends = ends === null ? [risk, risk] : [Math.min(ends[0], risk), Math.max(ends[1], risk)]
  }
  return ends
}

function decidedBy([lowest, highest]: Ends, threshold: number | undefined): 'Yes' | 'No' | null {
  if (threshold === undefined) return null
  if (lowest >= threshold) return 'Yes'
  return highest < threshold ? 'No' : null
}
