/**
 * Deployments in a form that can be handed to a thread: definitions, not files. A thread that starts later uses the same
 * definitions that were checked at the start, even if the files have changed since.
 */
import type { ModelDefinition } from 'patient-risk-engine/definition'
import { type Definitions, type Scorer, type ScorerOptions, createScorer } from 'patient-risk-engine'
import type { Catalog } from './catalog.ts'
import type { Deployment } from './deployment.ts'

export interface PortableDeployments {
  readonly definitions: Definitions
  readonly deployments: readonly Readonly<
    Pick<Deployment, 'name' | 'digest'> & { model: ModelDefinition; options: ScorerOptions }
  >[]
}

export function packDeployments({ definitions }: Catalog, all: readonly Deployment[]): PortableDeployments {
  const deployments = all.map(({ name, digest, model, scorerOptions }) => ({
    ...{ name, digest, model: model.definition, options: scorerOptions },
  }))
  return { definitions, deployments }
}

/** The scorers by the names of their deployments. Each is compiled when it is first asked for. */
export function unpackScorers({ definitions, deployments }: PortableDeployments): (name: string) => Scorer {
  const made = new Map<string, Scorer>()
  return (name) => {
    const entry = deployments.find((each) => each.name === name)
    if (entry === undefined) throw new Error('a thread was asked for a deployment that it was not given')
    const scorer = made.get(name) ?? createScorer(definitions, entry.model, entry.options)
    made.set(name, scorer)
    return scorer
  }
}
