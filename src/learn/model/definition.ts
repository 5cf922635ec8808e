/** The file of a model from its specification. */
import type { CardDefinition, ModelDefinition } from '../../definition/model.ts'
import type { ProfileDefinition } from '../../definition/profile.ts'
import type { TermDefinition } from '../../definition/term.ts'
import type { ModelSpecificationType } from '../specification.ts'

export type Evidence = CardDefinition['discrimination'][number]
export type Fill = (text: string) => string

/** What a card says where its specification says nothing. */
type Words = Readonly<Record<'development' | 'calibration' | 'cost', string>>

/** The specification's words around the numbers of a model; `own` are the figures of its fit. */
export function modelWith(
  specification: ModelSpecificationType,
  terms: readonly TermDefinition[],
  intercept: number,
  words: Words,
  { fill = (text) => text, own, profile }: { fill?: Fill; own?: Evidence; profile?: ProfileDefinition } = {},
): ModelDefinition {
  const { id, version, title, card, scales, inputs, threshold, source, licence } = specification
  const elsewhere = (card.discrimination ?? []) as CardDefinition['discrimination']
  const unknown = elsewhere.length === 0 ? [{ data: words.calibration }] : []
  return {
    $schema: '../../schema/model.schema.json',
    id,
    version,
    title,
    card: {
      ...card,
      development: fill(card.development ?? words.development),
      discrimination: [...(own === undefined ? unknown : [own]), ...elsewhere],
      calibration: fill(card.calibration ?? words.calibration),
    },
    ...(scales === undefined ? {} : { scales }),
    inputs,
    terms: [...terms],
    link: { kind: 'logistic', intercept },
    ...(threshold === undefined
      ? {}
      : { threshold: { ...threshold, cost: fill(threshold.cost ?? words.cost) } }),
    ...(profile === undefined ? {} : { profile }),
    source,
    licence,
  }
}
