/** Searches for requests that cost much for their size: random models and bodies, changed again and again where that costs more. */
import type { FieldDefinition, ModelDefinition, TermDefinition } from 'patient-risk-engine/definition'
import { fieldDomain } from 'patient-risk-engine/definition'
import { type Scorer, createScorer } from 'patient-risk-engine'
import { Random } from './random.ts'
import { randomTrees } from './random-trees.ts'
import { OPTIONS, linear, model, scale } from './small-definitions.ts'

/** What a model and a body are made from. All numbers are small, so that changing one changes the cost by a step. */
export interface CostlyShape {
  readonly seed: number
  /** Numeric inputs, and the highest value of each. */
  readonly inputs: number
  readonly values: number
  /** Products of two inputs that follow each other. */
  readonly products: number
  /** Terms that count over all inputs; they decide what contributions cost. */
  readonly counts: number
  readonly trees: number
  readonly depth: number
  /** Items of a scale whose total is an input, and the values of each. */
  readonly items: number
  readonly itemValues: number
  /** Whether the risk falls and rises with the score, so that the ends of a range are not those of its terms. */
  readonly isTable: boolean
  readonly records: number
  /** In ten of ten: how many of the inputs a record has. */
  readonly given: number
}

const HIGHEST: Readonly<Record<keyof Omit<CostlyShape, 'seed' | 'isTable'>, number>> = {
  inputs: 12,
  values: 400,
  products: 12,
  counts: 40,
  trees: 120,
  depth: 7,
  items: 20,
  itemValues: 60,
  records: 4,
  given: 10,
}
const LOWEST: Partial<typeof HIGHEST> = { inputs: 1, values: 1, records: 1, itemValues: 2, depth: 1 }

export function randomShape(random: Random): CostlyShape {
  const numbers = Object.fromEntries(
    Object.entries(HIGHEST).map(([name, highest]) => [name, numberFor(random, name, highest)]),
  ) as unknown as Omit<CostlyShape, 'seed' | 'isTable'>
  return { ...numbers, seed: random.below(1_000), isTable: random.chance(0.3) }
}

/** Another one that differs in one or two numbers. */
export function changedShape(random: Random, shape: CostlyShape): CostlyShape {
  const changed: Record<string, unknown> = { ...shape }
  for (let changes = 1 + random.below(2); changes > 0; changes--) {
    const [name, highest] = random.pick(Object.entries(HIGHEST))
    changed[name] = numberFor(random, name, highest)
  }
  if (random.chance(0.1)) changed['isTable'] = !shape.isTable
  return changed as unknown as CostlyShape
}

function numberFor(random: Random, name: string, highest: number): number {
  // Small ones as often as large ones.
  const end = random.chance(0.5) ? Math.ceil(highest / 5) : highest
  return Math.max(LOWEST[name as keyof typeof HIGHEST] ?? 0, random.below(end + 1))
}

export function scorerOfShape(shape: CostlyShape): Scorer {
  const { inputs, values, items, itemValues, isTable } = shape
  const names = Array.from({ length: inputs }, (_, at) => `f${at}`)
  const field: FieldDefinition = { type: 'integer', from: 0, to: values, meaning: 'a number' }
  const fields = new Map(names.map((name) => [name, field]))
  const long = scale(
    'long',
    Object.fromEntries(
      Array.from({ length: items }, (_, at) => [
        `item${at}`,
        Array.from({ length: itemValues }, (_each, of) => of),
      ]),
    ),
  )
  const terms = termsOf(shape, names, fields)
  const own: ModelDefinition['inputs'] = Object.fromEntries(names.map((name) => [name, {}]))
  const profile = {
    data: 'made up',
    rows: 1,
    inputs: Object.fromEntries(names.map((name) => [name, SEEN])),
    risk: { cuts: [], shares: [1] },
  } as unknown as NonNullable<ModelDefinition['profile']>
  const highest = inputs * values
  const table = {
    kind: 'scoreTable',
    from: 0,
    risks: Array.from({ length: highest + 1 }, (_, at) => (at % 7) / 10),
  }
  // A table of risks takes whole scores only.
  const definition = isTable
    ? model(
        own,
        names.map((name) => linear(name, 1)),
        { link: table as ModelDefinition['link'] },
      )
    : model(items > 0 ? { ...own, long_total: {} } : own, terms, { profile })
  return createScorer({ fields, scales: items > 0 && !isTable ? [long] : [] }, definition, OPTIONS)
}

const SEEN = { cuts: [], shares: [1], missing: 0, p01: 0, p50: 0, p99: 1 }

function termsOf(
  { products, counts, trees, depth, items, seed }: CostlyShape,
  names: readonly string[],
  fields: ReadonlyMap<string, FieldDefinition>,
): readonly TermDefinition[] {
  const terms: TermDefinition[] = names.map((name) => linear(name))
  const nameAt = (at: number): string => names[at % names.length] as string
  const factor = (name: string) => ({ kind: 'linear' as const, field: name, coefficient: 1 })
  for (let at = 0; at < products && names.length > 1; at++) {
    const other = nameAt(at + 1 + Math.floor(at / names.length))
    if (other !== nameAt(at))
      terms.push({ kind: 'product', coefficient: 1e-6, factors: [factor(nameAt(at)), factor(other)] })
  }
  const below = Object.fromEntries(names.map((name) => [name, 1]))
  const bands = [
    { to: 0, points: 0 },
    { from: 1, points: 0.1 },
  ]
  for (let at = 0; at < counts; at++) terms.push({ kind: 'count', below, bands })
  if (trees > 0) {
    const domains = new Map([...fields].map(([name, each]) => [name, fieldDomain(each)]))
    terms.push(randomTrees(new Random(seed), domains, { count: trees, depth }))
  }
  if (items > 0) terms.push(linear('long_total', 0.001))
  return terms
}

/** A body of records of which some values are missing. */
export function bodyOfShape({ inputs, records, given, items, isTable }: CostlyShape): Buffer {
  const known = Math.round((inputs * given) / 10)
  const values = Array.from({ length: known }, (_, at) => `,"f${at}":0`)
  if (items > 0 && !isTable && given > 0) values.push(',"long_item0":1')
  const texts = Array.from({ length: records }, (_, at) => `{"idx":${at + 1}${values.join('')}}`)
  return Buffer.from(`[${texts.join(',')}]`)
}
