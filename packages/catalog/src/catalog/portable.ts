/**
 * Deployments in a form that can be handed to another place: definitions, not files. A thread that starts later uses the same
 * definitions that were checked at the start, even if the files have changed since. A packed deployment leaves as JSON.
 */
import type { ModelDefinition } from 'patient-risk-engine/definition'
import {
  type Definitions,
  type PackedDeployment,
  type Scorer,
  type ScorerOptions,
  createScorer,
  pack,
} from 'patient-risk-engine'
import type { Catalog } from './catalog.ts'
import type { Deployment } from './deployment.ts'

export interface PortableDeployments {
  readonly definitions: Definitions
  readonly deployments: readonly PortableDeployment[]
}

interface PortableDeployment {
  readonly name: string
  readonly digest: string
  readonly model: ModelDefinition
  readonly options: ScorerOptions
}

/** For threads of this process. They share the definitions. */
export function packDeployments({ definitions }: Catalog, all: readonly Deployment[]): PortableDeployments {
  return { definitions, deployments: all.map(portable) }
}

/** For the engine in another program: `compile` of `patient-risk-engine` reads its JSON. */
export function packDeployment({ definitions }: Catalog, deployment: Deployment): PackedDeployment {
  return pack({ ...portable(deployment), timeZone: deployment.timeZone, definitions })
}

function portable({ name, digest, model, scorerOptions }: Deployment): PortableDeployment {
  return { name, digest, model: model.definition, options: scorerOptions }
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
