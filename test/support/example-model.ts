/** An invented model with a curve and a value for absence, its fields, and what a model of this kind gives or is refused for. */
import { hasShape } from '@patient-risk/catalog'
import {
  checkModel,
  type Domain,
  fieldDomain,
  FaultList,
  type FieldDefinition,
  type ModelDefinition,
} from 'patient-risk-engine/definition'
import { Assessor, makePlan, compileModel } from 'patient-risk-engine'

const FIELDS = new Map<string, FieldDefinition>([
  ['age', { type: 'integer', from: 0, to: 120, meaning: 'Age.' }],
  ['sex', { type: 'code', values: { F: 'female', M: 'male', X: 'other' }, meaning: 'Sex.' }],
  ['albumin', { type: 'decimal', from: 0.5, to: 8, meaning: 'Albumin.' }],
  ['acute', { type: 'yesNo', meaning: 'Acute.' }],
])
export const DEFINITIONS = { fields: FIELDS, scales: [] }
const DOMAINS = new Map<string, Domain>([...FIELDS].map(([name, field]) => [name, fieldDomain(field)]))
export const OPTIONS = { today: 20260101, reportUnknown: false, maxKeys: 1024 }

export const MODEL: ModelDefinition = {
  id: 'example',
  version: '1.0.0',
  title: 'Example',
  card: {
    summary: 's',
    intendedUse: 'i',
    users: 'u',
    population: 'p',
    setting: 's',
    outcome: 'o',
    horizonDays: 30,
    missingData: 'm',
    development: 'd',
    discrimination: [{ data: 'd' }],
    calibration: 'c',
    limits: ['l'],
  },
  inputs: { age: { from: 18 }, albumin: { whenAbsent: 3.5, why: 'the usual value' } },
  terms: [
    { kind: 'spline', field: 'age', knots: [30, 50, 70, 90], coefficients: [0.02, -0.01, 0.05] },
    { kind: 'linear', field: 'albumin', coefficient: -0.4 },
    { kind: 'absent', field: 'albumin', points: 0.3 },
  ],
  link: { kind: 'logistic', intercept: -1 },
  source: { cite: 'none' },
  licence: { status: 'none', shipped: 'none' },
}

export function faultsOf(model: unknown): readonly string[] {
  const faults = new FaultList('model')
  const vocabulary = { domains: DOMAINS, scales: new Map() }
  if (hasShape('model', { value: model }, faults)) checkModel(model as ModelDefinition, vocabulary, faults)
  return faults.faults.map(({ path, rule }) => `${path} ${rule}`)
}

export function riskOf(model: ModelDefinition, record: object): number {
  const plan = makePlan(DEFINITIONS, model)
  const compiled = compileModel(model, plan)
  const outcome = new Assessor(plan, compiled).assess({ idx: 1, ...record }, 0, OPTIONS)
  return compiled.probability(outcome.score)
}
