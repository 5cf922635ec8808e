/** A clinical folder of tree models: with their scales, worked cases and the profile of made-up data, as an import writes them. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Catalog } from '@patient-risk/catalog'
import { type Domain, rangeOf, writtenValue, type ModelDefinition } from 'patient-risk-engine/definition'
import { createScorer } from 'patient-risk-engine'
import { Random } from './random.ts'
import { OPTIONS, TODAY } from './small-definitions.ts'
import { treeModel, treeModels } from './tree-models.ts'

const CASES = 20
const MANY: ReadonlySet<string> = new Set(['albumin', 'sex', 'dementia', 'mna_total'])

type Value = number | string | boolean
export type TreeRecord = Readonly<Record<string, Value>>

/** The models of every kind, a small one that a page shows whole, and two of 50 trees, one of them for records with gaps. */
export function folderModels(catalog: Catalog): readonly ModelDefinition[] {
  const random = new Random(3)
  const further = [
    treeModel(catalog, random, ['trees-few', { count: 3, depth: 3, absent: MANY, rounding: 'both' }]),
    treeModel(catalog, random, ['trees-fifty', { count: 50, depth: 4, points: [-0.1, 0.12] }]),
    treeModel(catalog, random, ['trees-gaps', { count: 50, depth: 5, points: [-0.1, 0.12], absent: MANY }]),
  ]
  return [...treeModels(catalog), ...further].map((model) => withProfile(catalog, model))
}

export function writeTreeFolder(folder: string, catalog: Catalog): readonly ModelDefinition[] {
  const models = folderModels(catalog)
  for (const model of models) {
    const own = join(folder, 'models', model.id)
    mkdirSync(own, { recursive: true })
    const records = treeRecords(catalog, model, CASES, 1)
    const risks = risksOf(catalog, model, records)
    const cases = records.map((record, at) => {
      return { name: `generated ${at}`, record, risk: risks[at] ?? null, source: 'computed by the model' }
    })
    writeFileSync(join(own, `${model.id}.json`), JSON.stringify(model))
    writeFileSync(join(own, 'cases.json'), JSON.stringify(cases))
  }
  return models
}

/** Right records. Of a model that takes absence, some lack such a value. */
export function treeRecords(
  { domains }: Catalog,
  model: ModelDefinition,
  count: number,
  seed: number,
): readonly TreeRecord[] {
  const random = new Random(seed)
  return Array.from({ length: count }, () =>
    Object.fromEntries(
      Object.entries(model.inputs).flatMap(([name, { from, whenAbsent }]) => {
        if (whenAbsent === null && random.chance(0.2)) return []
        const domain = domains.get(name) as Domain
        const range = rangeOf(domain)
        if (domain.kind === 'list') return [[name, random.pick(domain.values)]]
        if (range === undefined) {
          const numbers = domain.kind === 'code' ? [...domain.codes.values()] : [0, 1]
          return [[name, writtenValue(domain, random.pick(numbers))]]
        }
        const low = from ?? range.from
        const whole = low + random.below(Math.min(60, Math.floor(range.to - low)))
        return [[name, domain.kind === 'decimal' ? whole + 0.5 : whole]]
      }),
    ),
  )
}

export function risksOf(
  catalog: Catalog,
  model: ModelDefinition,
  records: readonly TreeRecord[],
): readonly number[] {
  const scorer = createScorer(catalog.definitions, model, { ...OPTIONS, maxRecords: records.length })
  const body = Buffer.from(JSON.stringify(records.map((record, idx) => ({ idx, ...record }))))
  const answers = JSON.parse(Buffer.from(scorer.score(body, TODAY).bytes).toString()) as { risk: number }[]
  return answers.map(({ risk }) => risk)
}

function withProfile(catalog: Catalog, model: ModelDefinition): ModelDefinition {
  const records = treeRecords(catalog, model, 400, 2)
  const risks = risksOf(catalog, model, records)
  type Inputs = NonNullable<ModelDefinition['profile']>['inputs']
  const inputs = Object.keys(model.inputs).map((name): readonly [string, Inputs[string]] => {
    const given = records.flatMap((record) => record[name] ?? [])
    const missing = 1 - given.length / records.length
    if (given.every((each) => typeof each === 'number')) return [name, { ...numbersOf(given), missing }]
    const counts = new Map<string, number>()
    for (const each of given) counts.set(String(each), (counts.get(String(each)) ?? 0) + 1 / given.length)
    return [name, { codes: Object.fromEntries(counts), missing }]
  })
  const { cuts, shares } = numbersOf(risks)
  const titled = { title: `Example ${model.id}`, scales: scalesOf(catalog) }
  const card = { ...model.card, summary: 'An example without clinical meaning.' }
  const profile = {
    data: 'made up',
    rows: records.length,
    inputs: Object.fromEntries(inputs),
    risk: { cuts, shares },
  }
  return { ...model, ...titled, card, profile }
}

function scalesOf({ scales }: Catalog): Record<string, number> {
  return Object.fromEntries(['barthel', 'cfs', 'mna'].map((id) => [id, scales.get(id)?.version ?? 0]))
}

/** Four bins of the same size, where the values are that many. */
function numbersOf(all: readonly number[]) {
  const sorted = all.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] as number
  const cuts = [...new Set([0.25, 0.5, 0.75].map(at))].filter((cut) => cut > at(0))
  const shares = [...cuts, Infinity].map((cut, bin) => {
    const from = cuts[bin - 1] ?? -Infinity
    return sorted.filter((value) => value >= from && value < cut).length / sorted.length
  })
  return { cuts, shares, p01: at(0.01), p50: at(0.5), p99: at(0.99), from: at(0), to: at(1) }
}
