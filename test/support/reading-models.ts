/** Models whose risk shows every item of a scale with readings, and records around the edges of its bands. */
import type { Catalog } from '@patient-risk/catalog'
import type { ModelDefinition, ScaleDefinition } from 'patient-risk-engine/definition'
import { model } from './small-definitions.ts'
import type { Random } from './random.ts'

type Given = number | string | boolean
export type Reading = Readonly<Record<string, Given>>

export const CDR_LEVELS = [0, 0.5, 1, 2, 3] as const
export const CDR_PARTS = [
  'memory',
  'orientation',
  'judgment',
  'communityAffairs',
  'homeHobbies',
  'personalCare',
] as const

/** Every scale of which something follows from readings, from age or from sex. */
export function scalesWithReadings({ scales }: Pick<Catalog, 'scales'>): readonly ScaleDefinition[] {
  return [...scales.values()].filter(({ computed = {} }) =>
    Object.values(computed).some(
      ({ kind, of }) => ['banded', 'cdrGlobal'].includes(kind) || String(of).startsWith('record:'),
    ),
  )
}

/** A model that takes every item and the total of a scale, each with a weight of its own. */
export function readingModel(scale: ScaleDefinition): ModelDefinition {
  const context = Object.entries(scale.context ?? {}).filter(([, { values }]) => Array.isArray(values))
  const names = [...Object.keys(scale.items), ...context.map(([name]) => name), 'total']
  const fields = names.map((name) => `${scale.id}_${name}`)
  const standIn = (field: string): number => {
    const item = scale.items[field.slice(scale.id.length + 1)]
    return item?.values[0] ?? (scale.id === 'gnri' ? 100 : 2)
  }
  const inputs = fields.map((field) => [field, { whenAbsent: standIn(field), why: 'a test' }])
  return model(
    Object.fromEntries(inputs) as ModelDefinition['inputs'],
    fields.map((field, place) => ({ kind: 'linear', field, coefficient: 0.013 + 0.017 * place })),
    { id: `readings-${scale.id.toLowerCase()}`, link: { kind: 'logistic', intercept: -4 } },
  )
}

/** Weights in kg and heights in cm with a body mass index on an edge, or next to it. */
const EDGES = [18.5, 19, 20, 21, 23, 25, 30] as const
const HEIGHTS = [130, 140, 150, 155, 160, 170, 180, 190, 200] as const

function near(
  random: Random,
  value: number,
  { from, to, step }: { from: number; to: number; step: number },
): number {
  const moved = value + step * (random.below(3) - 1)
  return Number(Math.min(to, Math.max(from, Math.round(moved / step) * step)).toFixed(3))
}

/** A record of one scale: items, readings, both or neither, mostly next to an edge. */
export function readingRecord(random: Random, scale: ScaleDefinition): Reading {
  const { id, items, measures = {}, context = {}, computed = {} } = scale
  const record: Record<string, Given> = {}
  if (random.chance(0.8))
    record['age'] = random.pick([13, 14, 49, 50, 64, 65, 69, 70, 74, 75, 79, 80, 81, 85, 86, 90])
  if (random.chance(0.8)) record['sex'] = random.pick(['F', 'M', 'X'])
  const givesReadings = random.chance(0.8)
  const givesItems = !givesReadings || random.chance(0.2)
  const keeps = random.chance(0.7) ? 1 : 0.6
  let sum = 0
  for (const [name, { values }] of Object.entries(items)) {
    const hasReading = Object.hasOwn(computed, name)
    if ((hasReading && !givesItems) || !random.chance(keeps)) continue
    const value = random.pick(values)
    record[`${id}_${name}`] = value
    sum += value
  }
  for (const [name, { values }] of Object.entries(context))
    if (random.chance(0.7))
      record[`${id}_${name}`] = random.pick<Given>(Array.isArray(values) ? values : Object.keys(values))
  const height = random.pick(HEIGHTS)
  for (const [name, measure] of Object.entries(givesReadings ? measures : {})) {
    if (!random.chance(keeps)) continue
    const bands = Object.values(computed).flatMap((each) =>
      each.kind === 'banded' && each.of === name ? each.bands : [],
    )
    const edges = bands.flatMap(({ from, above, to, below }) =>
      [from, above, to, below].filter((edge) => edge !== undefined),
    )
    const anywhere = measure.from + random.next() * (measure.to - measure.from)
    const targetOf = (): number => {
      if (name === 'height') return height
      if (name === 'weight') return random.pick(EDGES) * (height / 100) ** 2
      return edges.length > 0 ? random.pick(edges) : anywhere
    }
    const target = targetOf()
    // A computed reading beside its parts is a second statement, which seldom agrees.
    if (computed[name] !== undefined && random.chance(0.7)) continue
    // Numbers whose product is no longer one must not end a query.
    if (random.chance(0.005)) record[`${id}_${name}`] = random.pick([1e308, -1e308, 1e-300])
    else record[`${id}_${name}`] = near(random, random.chance(0.1) ? anywhere : target, measure)
  }
  if (random.chance(0.3)) record[`${id}_total`] = Math.round(sum * 1000) / 1000
  return record
}
