/** A valid model whose range takes 1.9 million combinations: three inputs, each alone and in products with both others. */
import type { ModelDefinition, SimpleTermDefinition, TermDefinition } from 'patient-risk-engine/definition'
import { linear, model } from './small-definitions.ts'

const NAMES = ['age', 'inpatientAdmissions', 'emergencyAdmissions'] as const

const factor = (field: string): SimpleTermDefinition => ({ kind: 'linear', field, coefficient: 1 })

const product = (one: string, other: string): TermDefinition => ({
  kind: 'product',
  coefficient: 0.0001,
  factors: [factor(one), factor(other)],
})

const [AGE, STAYS, VISITS] = NAMES

export function productsModel(more: Partial<ModelDefinition> = {}): ModelDefinition {
  const inputs = { age: { from: 18, to: 110 }, inpatientAdmissions: {}, emergencyAdmissions: {} }
  const pairs = [product(AGE, STAYS), product(AGE, VISITS), product(STAYS, VISITS)]
  return model(inputs, [...NAMES.map((name) => linear(name)), ...pairs], {
    id: 'products',
    ...more,
  })
}

/** Records of which nothing but the number is known: 982 bytes for 90 of them. */
export function emptyRecords(count: number): string {
  const records = Array.from({ length: count }, (_, at) => `{"idx":${at + 1}}`)
  return `[${records.join(',')}]`
}
