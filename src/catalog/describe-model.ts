/** A deployment's model as it is served: the card for people, and everything that its numbers come from. */
import type { ModelDefinition } from '../definition/model.ts'
import type { Catalog } from './catalog.ts'
import type { Deployment, Limits } from './deployment.ts'
import { type FieldDescription, describeFields } from './describe-fields.ts'

export interface ModelDescription {
  readonly id: string
  readonly version: string
  readonly title: string
  /** SHA-256 of the definition file, as the answers' header writes it. */
  readonly digest: string
  readonly released: boolean
  readonly ready: boolean
  /** Whether `…/v0/model/report` has figures of it on labelled data. */
  readonly report: boolean
  readonly card: ModelDefinition['card']
  readonly inputs: readonly FieldDescription[]
  readonly terms: ModelDefinition['terms']
  readonly link: ModelDefinition['link']
  readonly threshold?: ModelDefinition['threshold']
  /** How the inputs were distributed in the data that the model comes from, where that is known. */
  readonly profile?: ModelDefinition['profile']
  readonly source: ModelDefinition['source']
  readonly licence: ModelDefinition['licence']
  readonly deployment: {
    readonly name: string
    readonly output: 'number' | 'yes-no'
    readonly threshold?: number
    readonly unknownFields: 'ignore' | 'report'
    readonly limits: Limits
  }
}

export function describeModel(catalog: Catalog, deployment: Deployment): ModelDescription {
  const { definition, digest, released, trouble, report } = deployment.model
  const { fields } = describeFields(catalog, definition, deployment.units)
  const { output } = deployment
  return {
    id: definition.id,
    version: definition.version,
    title: definition.title,
    digest: `sha-256=:${digest}:`,
    released,
    ready: trouble.length === 0,
    report: report !== undefined,
    card: definition.card,
    inputs: Object.entries(definition.inputs).map(([name, input]) => {
      const field = fields.find((each) => each.name === name) as FieldDescription
      return input.meaning === undefined ? field : { ...field, meaning: input.meaning }
    }),
    terms: definition.terms,
    link: definition.link,
    ...(definition.threshold === undefined ? {} : { threshold: definition.threshold }),
    ...(definition.profile === undefined ? {} : { profile: definition.profile }),
    source: definition.source,
    licence: definition.licence,
    deployment: {
      name: deployment.name,
      output: output.kind,
      ...(output.kind === 'yes-no' ? { threshold: output.threshold } : {}),
      unknownFields: deployment.unknownFields,
      limits: deployment.limits,
    },
  }
}
