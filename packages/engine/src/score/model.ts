/** A compiled model: which slots it must have, what it adds up, and the probability that follows. */
import { curveOf } from '../definition/curve.ts'
import { type Domain, byNumber, codesIn } from '../definition/domain.ts'
import type { ModelDefinition } from '../definition/model.ts'
import type {
  PointsBandDefinition,
  ProductDefinition,
  SimpleTermDefinition,
  TermDefinition,
  TreesDefinition,
} from '../definition/term.ts'
import { treesLabel } from '../definition/trees.ts'
import {
  add,
  choose,
  compare,
  lookup,
  multiply,
  number,
  stateIn,
  value,
  when,
  within,
} from '../expression/build.ts'
import { compileNumber } from '../expression/evaluate.ts'
import type { NumberNode } from '../expression/node.ts'
import { stepsOf } from '../expression/walk.ts'
import type { FieldNames } from '../plan/computation.ts'
import { compileLink, risesOrFalls } from './link.ts'
import { type TreeTable, compileTrees } from './trees.ts'
import { type FieldPlan, type Plan, withParts } from '../plan/plan.ts'
import { STATE, type Slots } from '../plan/slots.ts'

/** A compiled term: the slots that it reads, and the points that it adds for their values. */
export interface Term {
  readonly kind: string
  readonly label: string
  readonly slots: readonly number[]
  /** The points as an expression, of which all others are made. */
  readonly node: NumberNode
  /** The points for usable values. Only called when every slot of the term is usable or assumed. */
  readonly points: Points
  /** The most steps that its points take. */
  readonly steps: number
  /** The terms that a product multiplies. */
  readonly factors?: readonly Term[]
  /** Of a count: the value below which each input counts. */
  readonly limits?: ReadonlyMap<number, number>
  readonly trees?: TreeTable
}

type Points = (values: Float64Array, states: Uint8Array) => number

export interface CompiledModel {
  readonly required: readonly number[]
  /** Inputs whose absence the model gives a meaning, and the number that stands for it; NaN where trees tell absence apart. */
  readonly assumed: readonly { readonly slot: number; readonly value: number }[]
  /** Whether an invalid value in this slot keeps the record from being scored. */
  blocks(slot: number): boolean
  readonly terms: readonly Term[]
  /** The points of all terms, added in the order of the definition. */
  score(values: Float64Array, states: Uint8Array): number
  probability(score: number): number
  /** The most steps that the score of a record takes. */
  readonly steps: number
  /** Whether the risk only rises, or only falls, with the score, so that its ends lie at those of the score. */
  readonly isMonotone: boolean
}

export function compileModel(
  model: Pick<ModelDefinition, 'inputs' | 'terms' | 'link'>,
  plan: Plan,
): CompiledModel {
  const names = namesIn(plan)
  const terms = compileTerms(model.terms, plan)
  const required: number[] = []
  const assumed: { slot: number; value: number }[] = []
  for (const [name, input] of Object.entries(model.inputs)) {
    const slot = names.slotOf(name)
    if (input.whenAbsent === undefined) required.push(slot)
    else {
      const code = names.codesOf(name).get(String(input.whenAbsent))
      const stated = input.whenAbsent === null ? Number.NaN : Number(input.whenAbsent)
      assumed.push({ slot, value: code ?? stated })
    }
  }
  // Required inputs, and the slots that they are computed from: a wrong item makes a required total wrong.
  const slots = [...withParts(plan, required, ({ fillsIn }) => fillsIn)]
  const codings = slots.map((slot) => plan.scales[plan.fields[slot]?.scale ?? -1]?.codingSlot ?? -1)
  const blocking = new Set([...slots, ...codings])
  return {
    required,
    assumed,
    blocks: (slot) => blocking.has(slot),
    terms,
    score(values, states) {
      let sum = 0
      for (const term of terms) sum += term.points(values, states)
      return sum
    },
    probability: compileLink(model.link),
    steps: terms.reduce((sum, term) => sum + term.steps, 0),
    isMonotone: risesOrFalls(model.link),
  }
}

/** The points of all terms as an expression, added in the order of the definition. */
export function scoreNode({ terms }: Pick<CompiledModel, 'terms'>): NumberNode {
  return add(number(0), ...terms.map(({ node }) => node))
}

export function compileTerms(terms: readonly TermDefinition[], plan: Plan): readonly Term[] {
  const names = namesIn(plan)
  return terms.map((term, place) =>
    term.kind === 'trees' ? compileTreesTerm(term, plan, place) : compileTerm(term, names),
  )
}

function namesIn(plan: Plan): FieldNames {
  const slotOf = (field: string): number => {
    const slot = plan.slotByName.get(field)
    if (slot === undefined) throw new Error(`the checked model names the unknown field ${field}`)
    return slot
  }
  return { slotOf, codesOf: (field) => codesIn(plan.fields[slotOf(field)]?.domain) }
}

/** Puts the value that the model states for absence into slots that are absent or not trusted. */
export function assumeAbsent(model: CompiledModel, slots: Slots): void {
  for (const { slot, value } of model.assumed) {
    if (!slots.isUsable(slot)) slots.set(slot, STATE.assumed, value)
  }
}

function compileTreesTerm(definition: TreesDefinition, plan: Plan, place: number): Term {
  const { slotOf } = namesIn(plan)
  const domainOf = (field: string): Domain => (plan.fields[slotOf(field)] as FieldPlan).domain
  const trees = compileTrees(definition, { slotOf, domainOf }, place)
  const label = definition.label ?? treesLabel(definition)
  const node: NumberNode = { kind: 'forest', forest: trees }
  return {
    kind: 'trees',
    label,
    slots: trees.slots,
    node,
    points: trees.points,
    steps: stepsOf([node]),
    trees,
  }
}

function compileTerm(definition: Exclude<TermDefinition, TreesDefinition>, names: FieldNames): Term {
  if (definition.kind === 'product') return compileProduct(definition, names)
  const { kind } = definition
  const fields = kind === 'count' ? Object.keys(definition.below) : [definition.field]
  const label = kind === 'count' ? `count of ${fields.length} fields` : definition.field + (LABEL[kind] ?? '')
  const node = pointsOf(definition, names)
  return {
    kind,
    label: definition.label ?? label,
    slots: fields.map((field) => names.slotOf(field)),
    node,
    points: pointsBy(node),
    steps: stepsOf([node]),
    ...(kind === 'count' && { limits: new Map(limitsOf(definition, names)) }),
  }
}

function limitsOf(
  { below }: Extract<TermDefinition, { kind: 'count' }>,
  names: FieldNames,
): readonly (readonly [slot: number, limit: number])[] {
  return Object.entries(below).map(([field, limit]) => [names.slotOf(field), limit] as const)
}

/** What a label adds to the name of the field, for kinds whose field alone does not say enough. */
const LABEL: Readonly<Record<string, string>> = {
  square: ', squared',
  power: ', power',
  logarithm: ', logarithm',
  spline: ', curve',
  absent: ', absent',
}

/** An interaction: the coefficient times the points of each factor, multiplied in the order of the definition. */
function compileProduct(definition: ProductDefinition, names: FieldNames): Term {
  const factors = definition.factors.map((factor) => compileTerm(factor, names))
  const node = multiply(number(definition.coefficient), ...factors.map((factor) => factor.node))
  return {
    kind: 'product',
    label: definition.label ?? factors.map(({ label }) => label).join(' × '),
    slots: [...new Set(factors.flatMap(({ slots }) => slots))],
    factors,
    node,
    points: pointsBy(node),
    steps: stepsOf([node]),
  }
}

function pointsBy(node: NumberNode): Points {
  const points = compileNumber(node)
  return (values, states) => points(values, states, Number.NaN)
}

/** The points of a term. The definition check has proved that every permitted value has them. */
function pointsOf(definition: SimpleTermDefinition, names: FieldNames): NumberNode {
  if (definition.kind === 'count') {
    const counted = limitsOf(definition, names).map(([slot, limit]) =>
      when(compare(value(slot), '<', number(limit)), number(1), number(0)),
    )
    return bandedPoints(definition.bands, add(...counted))
  }
  const slot = names.slotOf(definition.field)
  switch (definition.kind) {
    case 'banded':
      return bandedPoints(definition.bands, value(slot))
    case 'category':
      return lookup(value(slot), 0, byNumber(definition.points, names.codesOf(definition.field)))
    case 'flag':
      return when(compare(value(slot), '=', number(1)), number(definition.points), number(0))
    case 'absent':
      return when(stateIn(slot, STATE.assumed), number(definition.points), number(0))
    default:
      return curveOf(definition, value(slot))
  }
}

/** The points for a value. If no band holds it there is no number, and the record is refused. */
function bandedPoints(bands: readonly PointsBandDefinition[], of: NumberNode): NumberNode {
  return choose(bands.map((band) => ({ when: within(of, band), then: number(band.points) })))
}
