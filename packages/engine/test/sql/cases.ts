/** Models and tables that the printed SQL is tested with: those of the catalogue, and small ones for what no catalogue model has. */
import type { FieldDefinition } from '../../src/definition/field.ts'
import type { ModelDefinition } from '../../src/definition/model.ts'
import type { Definitions } from '../../src/plan/plan.ts'
import { model } from '../../../../test/support/small-definitions.ts'
import { treeModels } from '../../../../test/support/tree-models.ts'
import { loadForFuzz } from '../fuzz/deployments.ts'
import type { Case } from './compare.ts'

const { definitions, models, domains } = loadForFuzz()
export const DEFINITIONS: Definitions = definitions

export function catalogueModel(id: string): ModelDefinition {
  const found = [...models.values()].find(({ definition }) => definition.id === id)
  if (found === undefined) throw new Error(`there is no model ${id}`)
  return found.definition
}

const why = 'a test'

/** Every kind of term, absent inputs and a recalibrated link, as a fit or a recalibration may write them. */
const LEARNED: ModelDefinition = model(
  {
    age: { from: 18 },
    albumin: { whenAbsent: 3.5, why },
    haemoglobin: {},
    sex: { whenAbsent: 'F', why },
    dementia: { whenAbsent: false, why },
    cfs_total: {},
    mna_total: { whenAbsent: 20, why },
    barthel_bathing: { whenAbsent: 5, why },
    barthel_feeding: { whenAbsent: 10, why },
    stayDays: { whenAbsent: 3, why },
  },
  [
    { kind: 'spline', field: 'age', knots: [30, 50, 70, 90], coefficients: [0.02, -0.01, 0.05] },
    { kind: 'linear', field: 'haemoglobin', per: 10, coefficient: -0.3711 },
    { kind: 'square', field: 'albumin', per: 3, coefficient: -0.4 },
    { kind: 'absent', field: 'albumin', points: 0.31 },
    { kind: 'category', field: 'sex', points: { F: 0, M: 0.21, X: 0.1 } },
    { kind: 'flag', field: 'dementia', points: 0.4 },
    { kind: 'logarithm', field: 'cfs_total', plus: 0, coefficient: 0.77 },
    { kind: 'logarithm', field: 'mna_total', plus: 1, coefficient: -0.11 },
    { kind: 'logarithm', field: 'stayDays', plus: 1, coefficient: 0.21 },
    { kind: 'power', field: 'haemoglobin', plus: 1, per: 10, exponent: -1.5, centre: 0.4, coefficient: 0.17 },
    {
      kind: 'product',
      factors: [
        { kind: 'power', field: 'age', per: 10, exponent: 0.5, coefficient: 0.3 },
        { kind: 'flag', field: 'dementia', points: 1 },
      ],
      coefficient: -0.2,
    },
    {
      kind: 'count',
      below: { barthel_bathing: 5, barthel_feeding: 10 },
      bands: [
        { from: 0, to: 0, points: 0 },
        { from: 1, points: 0.3 },
      ],
    },
    {
      kind: 'banded',
      field: 'haemoglobin',
      bands: [
        { to: 10, points: 0.4 },
        { above: 10, points: 0 },
      ],
    },
  ],
  {
    id: 'learned',
    link: { kind: 'recalibrated', of: { kind: 'logistic', intercept: -1.5 }, intercept: 0.21, slope: 0.83 },
  },
)

/** A recalibrated published table, and a recalibrated survival curve. */
const lace = catalogueModel('lace')
const charlson = catalogueModel('charlson10y')
const recalibrated = (from: ModelDefinition, id: string): ModelDefinition => {
  if (from.link.kind === 'recalibrated') throw new Error('is recalibrated already')
  return { ...from, id, link: { kind: 'recalibrated', of: from.link, intercept: -0.3, slope: 1.2 } }
}

export const PUBLISHED: readonly ModelDefinition[] = [...models.values()].map(({ definition }) => definition)
export const LOCAL: readonly ModelDefinition[] = [
  LEARNED,
  recalibrated(lace, 'lace-local'),
  recalibrated(charlson, 'charlson10y-local'),
  ...treeModels({ domains }),
]
export const MODELS: readonly ModelDefinition[] = [...PUBLISHED, ...LOCAL]

/** Between them they have every kind of term, of link and of tree. The slow tests take all models. */
const CORE_NAMES = new Set(['readmission30', 'learned', 'charlson10y-local', 'trees-forest'])
export const CORE: readonly ModelDefinition[] = MODELS.filter(({ id }) => CORE_NAMES.has(id))
export const OTHERS: readonly ModelDefinition[] = MODELS.filter(({ id }) => !CORE_NAMES.has(id))

const READING: FieldDefinition = { type: 'decimal', from: -20, to: 20, meaning: 'a test' }

/** A model whose score is its one reading, so that a row can stand exactly on any score. */
export function scoreCase(readings: readonly number[], link: ModelDefinition['link']): Case {
  return {
    definitions: { fields: new Map([['reading', READING]]), scales: [] },
    model: model({ reading: {} }, [{ kind: 'linear', field: 'reading', coefficient: 1 }], { link }),
    output: { kind: 'number' },
    table: {
      columns: [
        { name: 'idx', type: 'integer' },
        { name: 'reading', type: 'number' },
      ],
      rows: readings.map((reading, idx) => [idx, reading]),
    },
  }
}
