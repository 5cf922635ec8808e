/** The deployments that both readers are compared on: every model, both outputs, tight and wide limits, small windows, other units. */
import { fileURLToPath } from 'node:url'
import { type Catalog, loadCatalog } from '@patient-risk/catalog'
import type { ModelDefinition } from '../../src/definition/model.ts'
import type { Codes } from '../../src/plan/codes.ts'
import {
  type Conversions,
  type FieldPlan,
  type Definitions,
  type Plan,
  makePlan,
} from '../../src/plan/plan.ts'
import { type Output, type Scorer, type ScorerOptions, createScorer } from '../../src/scorer.ts'
import { treeModels } from '../../../../test/support/tree-models.ts'
import { readingModel, scalesWithReadings } from '../../../../test/support/reading-models.ts'

export interface Pair {
  readonly name: string
  readonly model: ModelDefinition
  readonly plan: Plan
  /** The fields of each scale. */
  readonly fieldsByScale: readonly (readonly FieldPlan[])[]
  readonly fast: Scorer
  readonly reference: Scorer
}

const OUTPUTS: readonly Output[] = [{ kind: 'number' }, { kind: 'yes-no', threshold: 0.15 }]
const LIMITS: readonly Pick<ScorerOptions, 'maxRecords' | 'maxDepth' | 'maxKeys' | 'reportUnknown'>[] = [
  { maxRecords: 10_000, maxDepth: 8, maxKeys: 1_024, reportUnknown: false },
  { maxRecords: 25, maxDepth: 3, maxKeys: 30, reportUnknown: true },
]
const OTHER_UNITS: Conversions = {
  haemoglobin: { unit: 'mmol/L', own: 'g/dL', times: 1, per: 0.6206 },
  creatinine: { unit: 'µmol/L', own: 'mg/dL', times: 1, per: 88.4 },
  albumin: { unit: 'g/L', own: 'g/dL', times: 1, per: 10 },
  barthel_total: { unit: 'of 20', own: 'of 100', times: 5, per: 1 },
}
const OTHER_CODES: Codes = {
  sex: { H: 'M', M: 'F', 1: 'M', 2: 'F', 9: null, Varón: 'M', 'a "quote"': 'X' },
  cancer: { 0: 'none', 1: 'solitary', '-1': null },
  caregiver: { none: 'spouse' },
  dementia: { S: true, N: false, 1: true, 2: false, 9: null },
  unmarried: { true: false },
  acuteAdmission: { ['c'.repeat(31)]: true, ['c'.repeat(32)]: false },
  congestiveHeartFailure: { '': true, 0.5: false, 1e21: true },
}
const WINDOWS = [undefined, 1_500, 20_000]

export function loadForFuzz(): Catalog {
  const { catalog } = loadCatalog([fileURLToPath(new URL('../../../../clinical', import.meta.url))])
  if (catalog === undefined) throw new Error('the clinical data do not load')
  return catalog
}

export function makePairs(catalog: Catalog): readonly Pair[] {
  const pairs: Pair[] = []
  const definitions = withLongNames(catalog.definitions)
  const models = [
    ...[...catalog.models.values()].map(({ definition }) => definition),
    ...treeModels(catalog),
    ...scalesWithReadings(catalog).map(readingModel),
  ]
  for (const model of models) {
    for (const output of OUTPUTS) {
      for (const limits of LIMITS) {
        const window = WINDOWS[pairs.length % WINDOWS.length]
        const conversions = pairs.length % 2 === 0 ? {} : OTHER_UNITS
        const codes = pairs.length % 3 === 1 ? OTHER_CODES : {}
        const plan = makePlan(definitions, model, conversions, codes)
        const options: ScorerOptions = { output, ...limits, maxLineBytes: 1 << 20, conversions, codes }
        pairs.push({
          name: `${model.id}@${model.version} ${output.kind} keys ${limits.maxKeys} window ${window ?? 'usual'}`,
          model,
          plan,
          fieldsByScale: plan.scales.map((_, index) => plan.fields.filter(({ scale }) => scale === index)),
          fast: createScorer(definitions, model, {
            ...options,
            reader: 'bytes',
            ...(window === undefined ? {} : { window }),
          }),
          reference: createScorer(definitions, model, { ...options, reader: 'reference' }),
        })
      }
    }
  }
  return pairs
}

/** Names around the longest that the reader compares, and the longest that it notes. */
const LONG_NAMES = [46, 47, 48, 64, 65].map((length) => 'l'.repeat(length))

function withLongNames(definitions: Definitions): Definitions {
  const like = definitions.fields.get('haemoglobin')
  if (like === undefined) throw new Error('there is no field to copy')
  return {
    ...definitions,
    fields: new Map([...definitions.fields, ...LONG_NAMES.map((name) => [name, like] as const)]),
  }
}
