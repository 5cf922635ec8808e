/**
 * The lowest and highest risk that a record could have, over every value that its missing inputs may take. Exact: inputs that
 * share a term are tried together, and the ends are risks that the model gives for values that reach them. Only with trees they
 * may lie wider.
 */
import type { Domain } from '../definition/domain.ts'
import type { LinkDefinition, ModelDefinition } from '../definition/model.ts'
import type { SimpleTermDefinition } from '../definition/term.ts'
import type { RecordResult } from '../answer/assess.ts'
import type { Definitions, FieldPlan, Plan } from '../plan/plan.ts'
import { STATE, type Slots } from '../plan/slots.ts'
import { roundRisk } from '../score/link.ts'
import type { CompiledModel, Term } from '../score/model.ts'
import { candidatesOf } from './candidates.ts'
import { reduceCandidates } from './reduce-candidates.ts'
import { treeBounds } from './tree-range.ts'
import { type Domains, compileUnknownInputs } from './unknown-inputs.ts'

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

/** More combinations of values than this are not tried, and there is no range. */
const MOST_COMBINATIONS = 2_000_000
const ROUNDING = 1e-9
/** Inputs whose terms cannot be looked at one by one, and the terms that they enter. */
interface Group {
  readonly slots: readonly number[]
  readonly terms: readonly Term[]
}

type RangedModel = Pick<ModelDefinition, 'inputs' | 'terms' | 'link' | 'profile'>
type Ends = readonly [number, number]

/** Compiles the range of the record that was assessed last. The slots are as before when it returns. */
export function compileRange(
  definitions: Definitions,
  plan: Plan,
  model: RangedModel,
  compiled: CompiledModel,
): (slots: Slots, outcome: RecordResult, threshold: number | undefined) => RiskRange | null {
  const unknown = compileUnknownInputs(definitions, plan, model)
  const nameOf = (slot: number): string => (plan.fields[slot] as FieldPlan).name
  const simple = model.terms.flatMap((term) => {
    if (term.kind === 'product') return term.factors
    return term.kind === 'trees' ? [] : [term]
  })
  const mayBeAbsent = new Set(
    compiled.assumed.filter(({ value }) => Number.isNaN(value)).map(({ slot }) => slot),
  )
  /** The terms of each input, those of a product apart. */
  const termsOf = new Map(
    unknown.inputs.map((slot) => [slot, simple.filter((term) => reads(term, nameOf(slot)))]),
  )
  const isMonotone = risesOrFalls(model.link)
  /** The points of an input that shares no term depend on nothing else in the record. */
  const known = new WeakMap<Domain, readonly Combination[]>()
  const riskAt = (score: number): number => roundRisk(compiled.probability(score))

  /** The lowest and highest risk over these values. It is null if an input has no possible value, or if there are too many to try. */
  const endsOver = (domains: Domains, slots: Slots): Ends | null => {
    for (const slot of domains.keys()) slots.states[slot] = STATE.valid
    const plain = compiled.terms.filter(({ trees }) => trees === undefined)
    const found = groupsOf(plain, [...domains.keys()]).map((group) => sumsOf(group, domains, slots))
    if (found.some((sums) => sums === undefined || sums.length === 0)) return null
    const groups = found as readonly (readonly Combination[])[]
    if (compiled.terms.some(({ trees, slots: own }) => trees && own.some((slot) => domains.has(slot))))
      return endsWithTrees(groups, domains, slots)
    return isMonotone ? endsOf(groups, slots) : endsOfSet(groups, domains, slots)
  }

  /** The points that a group can add up to, each with values that give them: the lowest and highest, or all of them. */
  const sumsOf = (group: Group, domains: Domains, slots: Slots): readonly Combination[] | undefined => {
    const [first = -1] = group.slots
    const domain = domains.get(first) as Domain
    if (group.terms.some((term) => term.slots.length > 1)) return tryAll(group, domains, slots)
    const sums = known.get(domain) ?? tryAll(group, domains, slots) ?? []
    known.set(domain, sums)
    return sums
  }

  const tryAll = (group: Group, domains: Domains, slots: Slots): readonly Combination[] | undefined => {
    const { values, states } = slots
    const lists = group.slots.map((slot) => {
      const alone = group.terms.filter((term) => isAlone(term, slot, group))
      const pointsAt = (value: number): number => {
        values[slot] = value
        return alone.reduce((sum, term) => sum + term.points(values, states), 0)
      }
      const terms = termsOf.get(slot) ?? []
      const candidates = candidatesOf(domains.get(slot) as Domain, nameOf(slot), terms, pointsAt)
      const shared = group.terms.filter((term) => !alone.includes(term) && term.slots.includes(slot))
      const vectorAt = (value: number): readonly number[] => [
        pointsAt(value),
        ...shared.flatMap((term) => shareOf(term, slot, slots)),
      ]
      // A count among the factors of a product multiplies what the input brings, so no value can be left out.
      const isSimple = shared.every(
        (term) => term.factors?.every((factor) => factor.slots.length === 1) ?? true,
      )
      return reduceCandidates(candidates, vectorAt, isMonotone && isSimple)
    })
    if (lists.reduce((product, list) => product * list.length, 1) > MOST_COMBINATIONS) return undefined
    const found = new Map<number, Combination>()
    const choose = (at: number): void => {
      const slot = group.slots[at]
      if (slot === undefined) {
        const points = group.terms.reduce((sum, term) => sum + term.points(values, states), 0)
        if (!found.has(points))
          found.set(points, {
            points,
            values: group.slots.map((each) => [each, values[each] as number] as const),
          })
        return
      }
      for (const value of lists[at] ?? []) {
        values[slot] = value
        choose(at + 1)
      }
    }
    choose(0)
    return [...found.values()].sort((a, b) => a.points - b.points)
  }

  const endsOf = (groups: readonly (readonly Combination[])[], slots: Slots): Ends | null => {
    const risks = [0, -1].map((end) => {
      for (const combinations of groups)
        for (const [slot, value] of combinations.at(end)?.values ?? []) slots.values[slot] = value
      return riskAt(compiled.score(slots.values, slots.states))
    })
    return endsAmong(risks)
  }

  /** The lowest points of every part, and the highest. */
  const endsWithTrees = (
    groups: readonly (readonly Combination[])[],
    domains: Domains,
    slots: Slots,
  ): Ends | null => {
    for (const domain of domains.values())
      if (domain.kind === 'list' && domain.values.length === 0) return null
    const parts = groups.map((sums): Ends => [sums[0]?.points ?? 0, sums.at(-1)?.points ?? 0])
    for (const { trees, slots: own, points } of compiled.terms) {
      if (trees !== undefined) parts.push(treeBounds(trees, slots.values, domains, mayBeAbsent))
      else if (!own.some((slot) => domains.has(slot))) {
        const known = points(slots.values, slots.states)
        parts.push([known, known])
      }
    }
    const [low, high] = [0, 1].map((end) => parts.reduce((sum, part) => sum + (part[end] as number), 0)) as [
      number,
      number,
    ]
    // The parts are added in another order than the score, so the ends are moved by more than that can change them.
    const slack = (Math.abs(low) + Math.abs(high) + 1) * ROUNDING
    if (isMonotone) return endsAmong([boundedRisk(low - slack), boundedRisk(high + slack)])
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
  ): Ends | null => {
    const isKnown = (term: Term): boolean => !term.slots.some((slot) => domains.has(slot))
    const base = compiled.terms
      .filter(isKnown)
      .reduce((sum, term) => sum + term.points(slots.values, slots.states), 0)
    let scores = new Set([base])
    for (const combinations of groups)
      scores = new Set([...scores].flatMap((score) => combinations.map(({ points }) => score + points)))
    return endsAmong([...scores].map(riskAt))
  }

  return (slots, outcome, threshold) => {
    const domains = unknown.find(slots, outcome)
    if (domains.size === 0) return null
    const [values, states] = [slots.values.slice(), slots.states.slice()]
    try {
      const possible = endsOver(domains, slots)
      if (possible === null) return null
      const usual = unknown.usual(domains)
      return {
        inputs: [...domains.keys()].map(nameOf),
        possible,
        usual: usual && endsOver(usual, slots),
        decided: decidedBy(possible, threshold),
      }
    } finally {
      slots.values.set(values)
      slots.states.set(states)
    }
  }
}

function groupsOf(terms: readonly Term[], unknown: readonly number[]): readonly Group[] {
  const groups: { slots: Set<number>; terms: Term[] }[] = []
  for (const term of terms) {
    const shared = term.slots.filter((slot) => unknown.includes(slot))
    if (shared.length === 0) continue
    const joined = { slots: new Set(shared), terms: [term] }
    for (const group of groups.filter(({ slots }) => shared.some((slot) => slots.has(slot)))) {
      for (const slot of group.slots) joined.slots.add(slot)
      joined.terms.unshift(...group.terms)
      groups.splice(groups.indexOf(group), 1)
    }
    groups.push(joined)
  }
  // An input that no term reads changes nothing.
  return groups.map(({ slots, terms: own }) => ({ slots: [...slots], terms: own }))
}

/** What an input brings into a term that it shares with others: its factor, whether it counts, or both. */
function shareOf(term: Term, slot: number, { values, states }: Slots): readonly number[] {
  const pieces = (term.factors ?? [term]).filter(({ slots }) => slots.includes(slot))
  const own = pieces.filter(({ slots }) => slots.length === 1)
  const factor = own.reduce((product, piece) => product * piece.points(values, states), 1)
  const counts = pieces
    .filter(({ slots }) => slots.length > 1)
    .map(({ limits }) => Number((values[slot] as number) < (limits?.get(slot) ?? Infinity)))
  return own.length === 0 ? counts : [factor, ...counts]
}

interface Combination {
  readonly points: number
  readonly values: readonly (readonly [slot: number, value: number])[]
}

/** Whether this is the only input of the group that the term reads. */
function isAlone(term: Term, slot: number, { slots }: Group): boolean {
  return term.slots.includes(slot) && !term.slots.some((other) => other !== slot && slots.includes(other))
}

function reads(term: SimpleTermDefinition, field: string): boolean {
  return term.kind === 'count' ? Object.hasOwn(term.below, field) : term.field === field
}

/** Whether the risk only rises, or only falls, with the score, so that its ends lie at those of the score. */
function risesOrFalls(link: LinkDefinition): boolean {
  if (link.kind === 'recalibrated') return risesOrFalls(link.of)
  if (link.kind === 'logistic' || link.kind === 'survival' || link.kind === 'identity') return true
  const risks = link.kind === 'scoreTable' ? link.risks : link.strata.map(({ risk }) => risk)
  const rises = risks.every((risk, at) => at === 0 || risk >= (risks[at - 1] as number))
  return rises || risks.every((risk, at) => at === 0 || risk <= (risks[at - 1] as number))
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
