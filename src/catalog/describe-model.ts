/** A deployment's model as it is served: the card for people, and everything that its numbers come from. */
import type { ModelDefinition } from '../definition/model.ts'
import type { Catalog } from './catalog.ts'
import type { Deployment } from './deployment.ts'
import { type FieldDescription, describeFields, given } from './describe-fields.ts'

export interface ModelDescription extends Pick<
  ModelDefinition,
  'id' | 'version' | 'title' | 'card' | 'terms' | 'link' | 'threshold' | 'profile' | 'source' | 'licence'
> {
  /** SHA-256 of the definition file, as the answers' header writes it. */
  readonly digest: string
  readonly released: boolean
  readonly ready: boolean
  /** Whether `…/v0/model/report` has figures of it on labelled data. */
  readonly report: boolean
  readonly inputs: readonly FieldDescription[]
  readonly deployment: {
    readonly name: string
    readonly output: 'number' | 'yes-no'
    readonly threshold?: number
    readonly unknownFields: 'ignore' | 'report'
    readonly limits: Deployment['limits']
  }
}

export function describeModel(catalog: Catalog, deployment: Deployment): ModelDescription {
  const { definition, digest, released, trouble, report } = deployment.model
  const { id, version, title, card, terms, link, threshold, profile, source, licence } = definition
  const { fields } = describeFields(catalog, definition, deployment.units)
  const inputs = Object.entries(definition.inputs).map(([name, input]) => {
    const field = fields.find((each) => each.name === name) as FieldDescription
    return input.meaning === undefined ? field : { ...field, meaning: input.meaning }
  })
  const { name, output, unknownFields, limits } = deployment
  const ofOutput = output.kind === 'yes-no' ? { threshold: output.threshold } : {}
  return {
    ...{ id, version, title, digest: `sha-256=:${digest}:`, released, ready: trouble.length === 0 },
    ...{ report: report !== undefined, card, inputs, terms, link, ...given({ threshold, profile }) },
    ...{ source, licence, deployment: { name, output: output.kind, ...ofOutput, unknownFields, limits } },
  }
}
