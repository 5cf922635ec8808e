/** A deployment's model as it is served: the card for people, and everything that its numbers come from. */
import type { Catalog } from './catalog.ts'
import type { Deployment } from './deployment.ts'
import { type FieldDescription, describeFields, given } from './describe-fields.ts'

/** `report` is whether `…/v0/model/report` has figures of the model on labelled data. */
export function describeModel(
  catalog: Catalog,
  deployment: Deployment,
): { readonly deployment: Pick<Deployment, 'limits'> } {
  const { definition, digest, released, trouble, report } = deployment.model
  const { id, version, title, card, terms, link, threshold, profile, source, licence } = definition
  const { fields } = describeFields(catalog, definition, deployment.units)
  const inputs = Object.entries(definition.inputs).map(([name, input]) => {
    const field = fields.find((each) => each.name === name) as FieldDescription
    return input.meaning === undefined ? field : { ...field, meaning: input.meaning }
  })
  const { name, output, unknownFields, limits } = deployment
  const ofOutput = output.kind === 'yes-no' ? { threshold: output.threshold } : {}
  const described = {
    ...{ id, version, title, digest: `sha-256=:${digest}:`, released, ready: trouble.length === 0 },
    ...{ report: report !== undefined, card, inputs, terms, link, ...given({ threshold, profile }) },
    ...{ source, licence, deployment: { name, output: output.kind, ...ofOutput, unknownFields, limits } },
  }
  return described
}
