/** Worked cases of an imported model, invented from its own splits and ranges: no row of the data is part of them. */
import {
  type Domain,
  type Domains,
  codesIn,
  permits,
  rangeOf,
  writtenValue,
  type TreeDefinition,
  type TreesDefinition,
  isSplit,
  splitDomain,
} from 'patient-risk-engine/definition'
import type { ModelCaseDefinition } from '@patient-risk/catalog'
import { roundRisk } from 'patient-risk-engine'
import { type ModelRun, unseenInputs } from '../data/gather.ts'
import { type CaseRecord, casesOf } from '../model/seen-inputs.ts'

const MOST_CASES = 200
const SOURCE = 'the imported model, after it agreed with the original on every row'
const SIDES = ['then', 'else'] as const

/** The first cases change one input at a time; the others lie on both sides of splits from all parts of the trees. */
export function workedCases(run: ModelRun, domains: Domains): readonly ModelCaseDefinition[] {
  const { model, plan, compiled, assess } = run
  const inputs = unseenInputs(model, plan, domains)
  for (const { domain, sample } of inputs) {
    const { from, to } = rangeOf(domain) ?? { from: 0, to: 0 }
    const middle = Math.round((from + to) / 2)
    sample.add(permits(domain, middle) ? middle : from)
  }
  /** NaN for a record with a problem, for example because two of its values contradict each other. */
  const riskOf = (record: CaseRecord): number => {
    const { problems, score } = assess(record)
    return problems.length > 0 ? Number.NaN : compiled.probability(score)
  }
  const simple = casesOf(inputs, riskOf, SOURCE).filter((each) => !Number.isNaN(each.unrounded ?? 0))
  const cases = simple.slice(0, MOST_CASES / 2)
  const typical = cases[0]?.record as CaseRecord
  const whole = new Map(inputs.map(({ name, domain }) => [name, domain]))
  const pairs = model.terms.flatMap((term) => (term.kind === 'trees' ? pairsIn(term, whole) : []))
  const step = Math.max(1, (2 * pairs.length) / (MOST_CASES - cases.length))
  for (let at = 0; Math.floor(at) < pairs.length; at += step) {
    const { field = '', sides = [] } = pairs[Math.floor(at)] ?? {}
    for (const changes of sides) {
      const record = Object.fromEntries(
        Object.entries({ ...typical, ...changes }).filter(([, value]) => value !== null),
      ) as CaseRecord
      const unrounded = riskOf(record)
      const name = `split ${Math.floor(at) + 1} of ${pairs.length}, ${field}`
      if (!Number.isNaN(unrounded) && cases.length < MOST_CASES)
        cases.push({ name, record: { ...record }, risk: roundRisk(unrounded), unrounded, source: SOURCE })
    }
  }
  return cases
}

type Changes = Readonly<Record<string, CaseRecord[string] | null>>
interface Pair {
  readonly field: string
  readonly sides: readonly Changes[]
}

/** For each split, the values that lead to it and to either side of it, next to its edge. Null is an absent value. */
function pairsIn({ trees, rounding }: TreesDefinition, whole: Domains): readonly Pair[] {
  const pairs: Pair[] = []
  // A side that no value reaches is that of absence.
  const walk = (
    tree: TreeDefinition,
    place: number,
    open: Map<string, Domain | undefined>,
    before: Changes,
  ): void => {
    const split = tree[place]
    if (split === undefined || !isSplit(split)) return
    const { field } = split
    const domain = open.get(field)
    const parts = domain && splitDomain(split, domain, rounding)
    const sides = SIDES.map((side) => ({
      ...before,
      [field]: valueIn(parts?.[side], side, whole.get(field)),
    }))
    pairs.push({ field, sides })
    SIDES.forEach((side, at) => {
      walk(tree, split[side], new Map(open).set(field, parts?.[side]), sides[at] ?? {})
    })
  }
  for (const tree of trees) walk(tree, 0, new Map(whole), {})
  return pairs
}

/** The value next to the edge; NaN where the field has none there. */
function valueIn(
  domain: Domain | undefined,
  side: (typeof SIDES)[number],
  own = domain,
): CaseRecord[string] | null {
  if (domain === undefined || own === undefined) return null
  const [number = Number.NaN] = codesIn(domain).values()
  if (domain.kind === 'code' || domain.kind === 'yesNo')
    return writtenValue(own, domain.kind === 'code' ? number : 1)
  const { from, to } = rangeOf(domain) ?? { from: Number.NaN, to: Number.NaN }
  const first = domain.kind === 'integer' ? Math.ceil(from) : from
  const last = domain.kind === 'integer' ? Math.floor(to) : to
  const nearest = side === 'then' ? last : first
  return permits(domain, nearest) ? writtenValue(own, nearest) : Number.NaN
}
