/** Worked cases of an imported model, invented from its own splits and ranges: no row of the data is part of them. */
import type { ModelCaseDefinition } from '../../definition/cases.ts'
import {
  type Domain,
  type Domains,
  codesIn,
  permits,
  rangeOf,
  rounded,
  writtenValue,
} from '../../definition/domain.ts'
import type { TermDefinition, TreeDefinition, TreesDefinition } from '../../definition/term.ts'
import { edgeOf, isSplit, splitDomain } from '../../definition/trees.ts'
import { roundRisk } from '../../engine/score/link.ts'
import { type Reader, type SeenInput, unseenInputs } from '../data/gather.ts'
import { type CaseRecord, casesOf } from '../model/seen-inputs.ts'

const MOST_CASES = 200
const SOURCE = 'the imported model, after it agreed with the original on every row'
const SIDES = ['then', 'else'] as const

/** The first cases change one input at a time; the others lie on both sides of splits from all parts of the trees. */
export function workedCases(reader: Reader, domains: Domains): readonly ModelCaseDefinition[] {
  const { model, plan, compiled, assess } = reader
  const inputs = unseenInputs(model, plan, domains)
  for (const input of inputs) for (const value of usualValues(input, model.terms)) input.sample.add(value)
  /** NaN for a record with a problem, for example because two of its values contradict each other. */
  const riskOf = (record: CaseRecord): number => {
    const { problems, score } = assess(record)
    return problems.length > 0 ? Number.NaN : compiled.probability(score)
  }
  const simple = casesOf(inputs, riskOf, SOURCE).filter((each) => !Number.isNaN(each.unrounded ?? 0))
  const cases = simple.slice(0, MOST_CASES / 2)
  const typical = cases[0]?.record as CaseRecord
  const whole = new Map(
    inputs.map(({ name, domain, isRequired }) => [name, { domain, mayLack: !isRequired }]),
  )
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
interface Open {
  readonly domain: Domain | undefined
  readonly mayLack: boolean
}

/** For each split, the values that lead to it and to either side of it, next to its edge. Null is an absent value. */
function pairsIn(
  { trees, rounding }: TreesDefinition,
  whole: ReadonlyMap<string, Open>,
): readonly { readonly field: string; readonly sides: readonly Changes[] }[] {
  const pairs: { field: string; sides: readonly Changes[] }[] = []
  const walk = (tree: TreeDefinition, place: number, open: typeof whole, before: Changes): void => {
    const split = tree[place]
    if (split === undefined || !isSplit(split)) return
    const { field, absent } = split
    const { domain, mayLack } = open.get(field) as Open
    const parts = domain && splitDomain(split, domain, rounding)
    const after = SIDES.map((side) => {
      const left = { domain: parts?.[side], mayLack: mayLack && absent === side }
      return { side, left, changes: { ...before, [field]: valueIn(left.domain, side, whole.get(field)) } }
    })
    pairs.push({ field, sides: after.map(({ changes }) => changes) })
    for (const { side, left, changes } of after)
      walk(tree, split[side], new Map(open).set(field, left), changes)
  }
  for (const tree of trees) walk(tree, 0, whole, {})
  return pairs
}

/** The value next to the edge; NaN where the field has none there. */
function valueIn(
  domain: Domain | undefined,
  side: (typeof SIDES)[number],
  whole: Open | undefined,
): CaseRecord[string] | null {
  if (domain === undefined) return null
  const own = whole?.domain ?? domain
  const [number = Number.NaN] = codesIn(domain).values()
  if (domain.kind === 'code' || domain.kind === 'yesNo')
    return writtenValue(own, domain.kind === 'code' ? number : 1)
  const { from, to } = rangeOf(domain) ?? { from: Number.NaN, to: Number.NaN }
  const [first, last] = domain.kind === 'integer' ? [Math.ceil(from), Math.floor(to)] : [from, to]
  const nearest = side === 'then' ? last : first
  return permits(domain, nearest) ? writtenValue(own, nearest) : Number.NaN
}

/** Values near the edges of the model in place of those of the data. */
function usualValues({ name, domain }: SeenInput, terms: readonly TermDefinition[]): readonly number[] {
  const range = rangeOf(domain)
  if (range === undefined) return []
  const edges = terms.flatMap((term) => edgesIn(term, name)).filter(Number.isFinite)
  const { from, to } = range
  return (edges.length > 0 ? edges : [(from + to) / 2]).flatMap((edge) => {
    const near = domain.kind === 'decimal' ? rounded(edge, 3) : Math.ceil(edge)
    const value = Math.min(to, Math.max(from, near))
    return permits(domain, value) ? [value] : [from]
  })
}

function edgesIn(term: TermDefinition, field: string): readonly number[] {
  if (term.kind === 'product') return term.factors.flatMap((factor) => edgesIn(factor, field))
  if (term.kind === 'trees')
    return term.trees.flatMap((tree) =>
      tree.flatMap((node) => (isSplit(node) && node.field === field ? [edgeOf(node, term.rounding)] : [])),
    )
  if (term.kind === 'count' || term.field !== field) return []
  if (term.kind === 'banded') return term.bands.flatMap(({ from = [], above = [] }) => [from, above].flat())
  return term.kind === 'spline' ? term.knots : []
}
