/** Models of random trees and powers over fields of the catalogue: every kind of field, of rounding and of absence. */
import type { Catalog } from '@patient-risk/catalog'
import { type Domain, narrow, type ModelDefinition } from 'patient-risk-engine/definition'
import { Random } from './random.ts'
import { type TreeShape, randomTrees } from './random-trees.ts'
import { model } from './small-definitions.ts'

/** Whole and decimal numbers, codes, yes and no, a total, an item, and a figure that a scale computes. */
const FIELDS = [
  'age',
  'albumin',
  'haemoglobin',
  'sex',
  'dementia',
  'stayDays',
  'cfs_total',
  'mna_total',
  'barthel_bathing',
]
const ABSENT: ReadonlySet<string> = new Set(['albumin', 'sex', 'dementia', 'mna_total', 'barthel_bathing'])

type Kind = readonly [id: string, shape: TreeShape, more?: Partial<ModelDefinition>]

const KINDS: readonly Kind[] = [
  ['trees-required', { count: 12, depth: 5 }],
  ['trees-absent', { count: 12, depth: 5, rounding: 'both', absent: ABSENT }],
  [
    'trees-forest',
    { count: 9, depth: 4, rounding: 'value', combine: 'mean', points: [0, 1], absent: ABSENT },
    { link: { kind: 'identity' } },
  ],
  [
    'trees-cox',
    { count: 30, depth: 3, absent: ABSENT },
    { link: { kind: 'survival', baseline: 0.92, rate: 1 } },
  ],
]

export function treeModels(catalog: Pick<Catalog, 'domains'>): readonly ModelDefinition[] {
  const random = new Random(2)
  return KINDS.map((kind) => treeModel(catalog, random, kind))
}

export function treeModel(
  catalog: Pick<Catalog, 'domains'>,
  random: Random,
  [id, shape, more = {}]: Kind,
): ModelDefinition {
  const { absent = new Set<string>() } = shape
  const inputs: ModelDefinition['inputs'] = Object.fromEntries(
    FIELDS.map((name) => {
      const limits = name === 'age' ? { from: 18 } : {}
      return [name, absent.has(name) ? { ...limits, whenAbsent: null, why: 'a test' } : limits]
    }),
  )
  const domains = new Map(
    FIELDS.map((name) => [name, narrow(catalog.domains.get(name) as Domain, inputs[name] ?? {})]),
  )
  const term = randomTrees(random, domains, shape)
  const others: ModelDefinition['terms'] = more.link?.kind === 'identity' ? [] : POWERS
  const missing: ModelDefinition['terms'] = [{ kind: 'absent', field: 'albumin', points: 0.1 }]
  const isPlain = absent.size === 0 || more.link?.kind === 'identity'
  return model(inputs, [term, ...others, ...(isPlain ? [] : missing)], { id, ...more })
}

const POWERS: ModelDefinition['terms'] = [
  { kind: 'power', field: 'age', per: 10, exponent: -2, coefficient: 3.1 },
  {
    kind: 'power',
    field: 'age',
    per: 10,
    exponent: 3,
    timesLogarithm: true,
    centre: 0.7,
    coefficient: 0.0003,
  },
  { kind: 'power', field: 'haemoglobin', plus: 0.5, per: 3, exponent: -1.5, coefficient: 0.4 },
  { kind: 'power', field: 'haemoglobin', exponent: 2.5, centre: 300, coefficient: -0.0001 },
  { kind: 'power', field: 'cfs_total', exponent: 0, coefficient: 0.2 },
  { kind: 'power', field: 'stayDays', plus: 1, exponent: 0, timesLogarithm: true, coefficient: 0.02 },
  {
    kind: 'product',
    coefficient: 0.01,
    factors: [
      { kind: 'power', field: 'stayDays', plus: 1, exponent: 0.5, coefficient: 1 },
      { kind: 'power', field: 'age', per: 50, exponent: 2, coefficient: 1 },
    ],
  },
]
