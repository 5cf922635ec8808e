/** A deployment as it is described to programs and pages, with its model and fields. The service and a page without one say the same. */
import type { Codes } from 'patient-risk-engine'
import type { Words } from 'patient-risk-engine/words'
import type { Catalog } from '../catalog/catalog.ts'
import type { Deployment } from '../catalog/deployment.ts'
import { digestText } from '../catalog/deployment-digest.ts'
import { type FieldDescription, fieldsForKey, fieldsOf, given } from '../catalog/describe-fields.ts'
import { catalogueIn, modelIn } from '../catalog/words/described-in.ts'
import { servedTerm } from './tree-text.ts'

/** One line of the list of deployments. */
export function describeDeployment(deployment: Deployment): object {
  const { name, basePath, model, deciding } = deployment
  const { definition, selfCheckFailures } = model
  const shadow = deployment.shadow?.model.definition
  return {
    name,
    basePath: basePath === '' ? '/' : basePath,
    title: definition.title,
    model: `${definition.id}@${definition.version}`,
    digest: digestText(deployment),
    output: deciding.output,
    ...given({ threshold: deciding.threshold, shadow: shadow && `${shadow.id}@${shadow.version}` }),
    ready: selfCheckFailures.length === 0,
  }
}

/** The model: the card for people, everything that its numbers come from, and all limits. `ofService` are limits of the whole service. */
export function describeModel(
  catalog: Catalog,
  deployment: Deployment,
  ofService: object = {},
  words?: Words,
): object {
  const described = fieldsOf(catalog, deployment)
  const { fields } = words === undefined ? described : catalogueIn(words, described)
  const { digest, released, selfCheckFailures, report } = deployment.model
  const english = deployment.model.definition
  const definition = words === undefined ? english : modelIn(words, english)
  const { id, version, title, card, terms, link, threshold, profile, source, licence } = definition
  const inputs = Object.entries(definition.inputs).map(([name, { meaning }]) => {
    const field = fields.find((each) => each.name === name) as FieldDescription
    return { ...field, ...given({ meaning }) }
  })
  const { name, deciding, unknownFields, timeZone, limits } = deployment
  return {
    id,
    version,
    title,
    digest: `sha-256=:${digest}:`,
    released,
    ready: selfCheckFailures.length === 0,
    // Whether `…/v0/model/report` has figures of the model on labelled data.
    report: report !== undefined,
    card,
    inputs,
    terms: terms.map(servedTerm),
    link,
    ...given({ threshold, profile }),
    source,
    licence,
    // `digest` above is that of the model's file; this one covers everything that decides an answer.
    deployment: {
      name,
      digest: digestText(deployment),
      riskDigest: digestText({ digest: deployment.riskDigest }),
      output: deciding.output,
      ...given({ threshold: deciding.threshold }),
      unknownFields,
      timeZone,
      limits: { ...limits, ...ofService },
    },
  }
}

/** The fields, with the digest of the deployment that they belong to. */
export function describeCatalogue(
  catalog: Catalog,
  deployment: Deployment,
  ofKey: Codes = {},
  words?: Words,
): object {
  const described = fieldsForKey(catalog, deployment, ofKey)
  const inWords = words === undefined ? described : catalogueIn(words, described)
  return { digest: digestText(deployment), ...inWords }
}
