/** Small definitions for tests, and a scorer of them. */
import type { FieldDefinition, ModelDefinition, ScaleDefinition } from 'patient-risk-engine/definition'
import { type Scorer, type ScorerOptions, createScorer } from 'patient-risk-engine'
import type { Result } from './contract-records.ts'

export const TODAY = 20260315
const about = { source: { cite: 'made up' }, licence: { status: 'made up', shipped: 'all' } }

export function scale(
  id: string,
  items: Readonly<Record<string, readonly number[]>>,
  more: Partial<ScaleDefinition> = {},
): ScaleDefinition {
  return {
    id,
    version: 1,
    title: id,
    purpose: 'a test',
    direction: 'higherIsBetter',
    verified: true,
    items: Object.fromEntries(
      Object.entries(items).map(([name, values]) => [name, { label: name, values: [...values] }]),
    ),
    total: 'sum',
    ...about,
    ...more,
  }
}

/** A model that adds up its terms on a logistic curve. */
export function model(
  inputs: ModelDefinition['inputs'],
  terms: ModelDefinition['terms'],
  more: Partial<ModelDefinition> = {},
): ModelDefinition {
  const word = 'a test'
  return {
    id: 'tiny',
    version: '1.0.0',
    title: 'Tiny',
    card: {
      summary: word,
      intendedUse: word,
      users: word,
      population: word,
      setting: word,
      outcome: word,
      horizonDays: 30,
      missingData: word,
      development: word,
      discrimination: [{ data: word }],
      calibration: word,
      limits: [word],
    },
    inputs,
    terms,
    link: { kind: 'logistic', intercept: 0 },
    ...about,
    ...more,
  }
}

export const linear = (field: string, coefficient = 0.01): ModelDefinition['terms'][number] => ({
  kind: 'linear',
  field,
  coefficient,
})

export interface Definitions {
  readonly fields?: Readonly<Record<string, FieldDefinition>>
  readonly scales?: readonly ScaleDefinition[]
  readonly model: ModelDefinition
  readonly options?: Partial<ScorerOptions>
}

export const OPTIONS: ScorerOptions = {
  output: { kind: 'number' },
  reportUnknown: false,
  maxRecords: 10_000,
  maxDepth: 8,
  maxKeys: 1_024,
  maxLineBytes: 1 << 20,
}

export function scorerOf(definitions: Definitions): Scorer {
  return createScorer(
    { fields: new Map(Object.entries(definitions.fields ?? {})), scales: definitions.scales ?? [] },
    definitions.model,
    {
      ...OPTIONS,
      ...definitions.options,
    },
  )
}

/** The results for records, as an HTTP caller would read them. */
export function results(scorer: Scorer, records: readonly unknown[] | string): readonly Result[] {
  const text = typeof records === 'string' ? records : JSON.stringify(records)
  return JSON.parse(Buffer.from(scorer.score(Buffer.from(text), TODAY).bytes).toString()) as Result[]
}
