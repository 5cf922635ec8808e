/**
 * Deployments in a form that can be handed to another place: definitions, not files. A thread that starts later uses the same
 * definitions that were checked at the start, even if the files have changed since. A packed deployment leaves as JSON.
 */
import type { ModelDefinition } from 'patient-risk-engine/definition'
import type { Words } from 'patient-risk-engine/words'
import {
  type Codes,
  type Definitions,
  type PackedDeployment,
  type Scorer,
  type ScorerOptions,
  codesWith,
  createScorer,
  pack,
} from 'patient-risk-engine'
import type { Catalog } from './catalog.ts'
import type { Deployment } from './deployment.ts'
import { wordsOf } from './words/words-of.ts'

export interface PortableDeployments {
  readonly definitions: Definitions
  readonly deployments: readonly PortableDeployment[]
  /** The languages of texts for people, by their tags; English needs none. */
  readonly words: Readonly<Record<string, Words>>
}

interface PortableDeployment {
  readonly name: string
  readonly digest: string
  readonly model: ModelDefinition
  readonly options: ScorerOptions
}

/** For threads of this process. They share the definitions. */
export function packDeployments(catalog: Catalog, all: readonly Deployment[]): PortableDeployments {
  const shadows = all.flatMap((deployment) => portableShadow(deployment) ?? [])
  const languages = new Set(all.flatMap((deployment) => deployment.languages))
  const words = [...languages].flatMap((tag) => wordsOf(catalog, tag) ?? [])
  return {
    definitions: catalog.definitions,
    deployments: [...all.map(portable), ...shadows],
    words: Object.fromEntries(words.map((each) => [each.language, each])),
  }
}

/** The shadow of a deployment as something that answers bodies. Names of deployments have no spaces. */
export function shadowOf({
  name,
  shadow,
}: Pick<Deployment, 'name' | 'shadow'>): Pick<Deployment, 'name' | 'scorer'> | undefined {
  return shadow && { name: `${name} shadow`, scorer: shadow.scorer }
}

function portableShadow(deployment: Deployment): PortableDeployment | undefined {
  const { shadow, scorerOptions } = deployment
  const scored = shadowOf(deployment)
  if (shadow === undefined || scored === undefined) return undefined
  const { digest, definition } = shadow.model
  return { name: scored.name, digest, model: definition, options: scorerOptions }
}

/** For the engine in another program: `compile` of `patient-risk-engine` reads its JSON. */
export function packDeployment({ definitions }: Catalog, deployment: Deployment): PackedDeployment {
  return pack({ ...portable(deployment), timeZone: deployment.timeZone, definitions })
}

function portable({ name, digest, model, scorerOptions }: Deployment): PortableDeployment {
  return { name, digest, model: model.definition, options: scorerOptions }
}

/** The codes of a key, in place of those of the deployment, with their digest. */
export interface KeyCodes {
  readonly codes: Codes
  readonly digest: string
}

/** Scorers for codes of keys that are kept: each has about a megabyte of tables of its own. The one that was used last is the last. */
const MOST_SCORERS = 16

/**
 * The scorers by the names of their deployments, for keys with codes of their own too. Each is compiled when it is first asked for.
 */
export function unpackScorers({
  definitions,
  deployments,
}: Omit<PortableDeployments, 'words'>): (name: string, ofKey?: KeyCodes) => Scorer {
  const made = new Map<string, Scorer>()
  const madeForKeys = new Map<string, Scorer>()
  const entryOf = (name: string): PortableDeployment => {
    const entry = deployments.find((each) => each.name === name)
    if (entry === undefined) throw new Error('a thread was asked for a deployment that it was not given')
    return entry
  }
  const plainScorer = (name: string): Scorer => {
    const entry = entryOf(name)
    const scorer = made.get(name) ?? createScorer(definitions, entry.model, entry.options)
    made.set(name, scorer)
    return scorer
  }
  const keyScorer = (name: string, { codes, digest }: KeyCodes): Scorer => {
    const id = `${name} ${digest}`
    const { model, options } = entryOf(name)
    const own = { ...options, codes: codesWith(options.codes ?? {}, codes) }
    const scorer = madeForKeys.get(id) ?? createScorer(definitions, model, own)
    madeForKeys.delete(id)
    madeForKeys.set(id, scorer)
    const [oldest = ''] = madeForKeys.keys()
    if (madeForKeys.size > MOST_SCORERS) madeForKeys.delete(oldest)
    return scorer
  }
  return (name, ofKey) => (ofKey === undefined ? plainScorer(name) : keyScorer(name, ofKey))
}
