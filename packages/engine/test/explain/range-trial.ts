/** Random records with values taken out: the risk that the whole record has must lie inside the range of the rest. */
import assert from 'node:assert/strict'
import type { Catalog, CatalogModel } from '@patient-risk/catalog'
import { type Domain, writtenValue } from '../../src/definition/domain.ts'
import { scaleForms } from '../../src/definition/scale-domains.ts'
import type { RiskRange } from '../../src/explain/range.ts'
import { makePlan } from '../../src/plan/plan.ts'
import { type Scorer, createScorer } from '../../src/scorer.ts'
import { Random } from '../../../../test/support/random.ts'
import { OPTIONS, TODAY } from '../../../../test/support/small-definitions.ts'

type Value = number | string | boolean
export type Values = Readonly<Record<string, Value>>

export class RangeTrial {
  readonly scorer: Scorer
  private readonly catalog: Catalog
  private readonly inputs: ReadonlyMap<string, Domain>
  private readonly random: Random

  constructor(catalog: Catalog, { definition }: CatalogModel, seed: number) {
    this.catalog = catalog
    this.random = new Random(seed)
    this.scorer = createScorer(catalog.definitions, definition, OPTIONS)
    const { fields } = makePlan(catalog.definitions, definition)
    const named = fields.filter(({ name }) => Object.hasOwn(definition.inputs, name))
    this.inputs = new Map(named.map(({ name, domain }) => [name, domain]))
  }

  /** A whole record, and the same without one to three of its values. */
  next(): { readonly whole: Values; readonly rest: Values; readonly removed: readonly string[] } {
    const { random } = this
    const whole = Object.fromEntries(
      [...this.inputs].flatMap(([name, domain]) => this.valuesFor(name, domain)),
    )
    const names = Object.keys(whole)
    const removed = new Set(Array.from({ length: 1 + random.below(3) }, () => random.pick(names)))
    const rest = Object.fromEntries(Object.entries(whole).filter(([name]) => !removed.has(name)))
    return { whole, rest, removed: [...removed] }
  }

  riskOf(values: Values): number {
    const { risk, blocked, problems } = this.scorer.assess({ idx: 1, ...values }, TODAY)
    assert.ok(!blocked, JSON.stringify({ values, problems }))
    return risk
  }

  rangeOf(values: Values): RiskRange | null {
    return this.scorer.restsOn(this.scorer.assess({ idx: 1, ...values }, TODAY), TODAY).range
  }

  domainOf(name: string): Domain {
    const domain = this.inputs.get(name)
    assert.ok(domain, name)
    return domain
  }

  /** The value of an input; for a total, sometimes its items instead. */
  private valuesFor(name: string, domain: Domain): readonly (readonly [string, Value])[] {
    const { random } = this
    const [id = '', part] = name.split('_')
    const scale = part === 'total' ? this.catalog.scales.get(id) : undefined
    if (scale === undefined || random.chance(0.4)) return [[name, anyValue(random, domain)]]
    const form = scaleForms(scale).find(({ coding }) => coding === (scale.codings?.default ?? null))
    assert.ok(form)
    const { alternatives = [] } = form.total !== 'sum' && form.total.kind === 'sum' ? form.total : {}
    const spare = new Set(alternatives.flatMap((group) => group.filter((each) => each !== group[0])))
    return [...form.items].flatMap(([item, values]) =>
      spare.has(item) ? [] : [[`${id}_${item}`, random.pick(values)] as const],
    )
  }
}

function anyValue(random: Random, domain: Domain): Value {
  if (domain.kind === 'yesNo') return random.chance(0.5)
  if (domain.kind === 'code') return writtenValue(domain, random.pick([...domain.codes.values()]))
  if (domain.kind === 'list') return random.pick(domain.values)
  assert.ok(domain.kind !== 'date')
  const { from, to } = domain
  if (domain.kind === 'integer') {
    // Small numbers are common, and so are the ends.
    const end = random.chance(0.5) ? Math.min(to, from + 20) : to
    return from + random.below(end - from + 1)
  }
  return random.chance(0.1)
    ? random.pick([from, to])
    : Math.round((from + random.next() * (to - from)) * 10) / 10
}

/** Every value of a domain, of decimals each tenth. */
export function everyValue(domain: Domain): readonly Value[] {
  if (domain.kind === 'yesNo') return [false, true]
  if (domain.kind === 'code') return [...domain.codes.keys()]
  if (domain.kind === 'list') return domain.values
  assert.ok(domain.kind !== 'date')
  const width = domain.kind === 'integer' ? 1 : 0.1
  const count = Math.floor((domain.to - domain.from) / width + 1e-9)
  return Array.from({ length: count + 1 }, (_, at) => Math.round((domain.from + at * width) * 10) / 10)
}

export function tryRanges(trial: RangeTrial, count: number): void {
  for (let i = 0; i < count; i++) {
    const { whole, rest, removed } = trial.next()
    const risk = trial.riskOf(whole)
    const range = trial.rangeOf(rest)
    const shown = JSON.stringify({ whole, removed, risk, range })
    assert.ok(range, shown)
    const [lowest, highest] = range.possible
    assert.ok(lowest <= risk && risk <= highest, shown)
  }
}
