/** A deployment: a model at a base path, with its output and limits, ready to answer. */
import { limitsWith } from '../config/config-defaults.ts'
import type { DeploymentSettings, Limits } from '../config/config-schema.ts'
import { type ChosenBands, type Fault, FaultList } from 'patient-risk-engine/definition'
import {
  type Codes,
  type Conversion,
  type Conversions,
  type Output,
  type Scorer,
  type ScorerOptions,
  createScorer,
} from 'patient-risk-engine'
import { type Catalog, type CatalogModel, findModel } from './catalog.ts'
import { checkCodes } from './check-codes.ts'
import { type DecidingSettings, deploymentDigest, zoneName } from './deployment-digest.ts'
import { ENGLISH } from '../languages/language.ts'
import { riskDigest } from './risk-digest.ts'

/** The path of the scoring calls, below the base path of a deployment. */
export const SCORING_PATH = '/risk/api/do/v0'

export interface Deployment {
  readonly name: string
  /** Without a slash at its end; empty for the root. */
  readonly basePath: string
  readonly model: CatalogModel
  readonly output: Output
  readonly unknownFields: 'ignore' | 'report'
  /** The unit of each field that is received in another unit than its own. */
  readonly units: Readonly<Record<string, string>>
  /** What the codes of senders mean, by field; a key may state others. */
  readonly codes: Codes
  /** What is doubtful about its settings, in sentences. They are used as they are. */
  readonly warnings: readonly string[]
  /** The scheme of bands of each scale for which the default is not used. */
  readonly bands: ChosenBands
  readonly timeZone: string
  /** The languages in which texts for people are given, English among them. They decide no answer. */
  readonly languages: readonly string[]
  readonly deciding: DecidingSettings
  /** SHA-256, base64, of everything that decides an answer. */
  readonly digest: string
  /** SHA-256, base64, of what the number of an answer follows from. Equal where only texts, the card, bands or notices differ. */
  readonly riskDigest: string
  readonly limits: Limits
  readonly retirement: DeploymentSettings['retirement']
  readonly cors: DeploymentSettings['cors']
  readonly cdsHooks: DeploymentSettings['cdsHooks']
  readonly outcomes: DeploymentSettings['outcomes']
  readonly scorerOptions: ScorerOptions
  readonly scorer: Scorer
  /** A second model that scores the same records for comparison. It is never part of an answer. */
  readonly shadow: ShadowModel | undefined
}

export interface ShadowModel {
  readonly model: CatalogModel
  readonly scorer: Scorer
  readonly share: number
  readonly budgetMs: number
}

const DEFAULT_BUDGET_MS = 20

export function makeDeployments(
  catalog: Catalog,
  settings: readonly DeploymentSettings[],
  timeZone?: string,
): { readonly deployments: readonly Deployment[]; readonly faults: readonly Fault[] } {
  const faults = new FaultList('configuration')
  const deployments: Deployment[] = []
  const zone = zoneName(timeZone)
  settings.forEach((entry, index) => {
    const deployment = makeDeployment(catalog, entry, zone, faults.at(`/deployments/${index}`))
    if (deployment !== undefined) deployments.push(deployment)
  })
  return { deployments, faults: faults.faults }
}

/** Undefined where its model or its threshold is missing. Other faults are listed too, and refuse the start. */
function makeDeployment(
  catalog: Catalog,
  entry: DeploymentSettings,
  timeZone: string,
  faults: FaultList,
): Deployment | undefined {
  const model = modelOf(catalog, entry.model, faults)
  if (model === undefined) return undefined
  const threshold = entry.threshold ?? model.definition.threshold?.risk
  if (entry.output === 'yes-no' && threshold === undefined) {
    faults.add('', 'threshold', 'a yes-no deployment needs a threshold, and its model states none')
    return undefined
  }
  const conversions = conversionsFor(catalog, entry, faults.at('/units'))
  checkChosenBands(catalog, entry.bands ?? {}, faults.at('/bands'))
  const { name, basePath, unknownFields = 'ignore', reader, bands, assessmentDays, codes = {} } = entry
  const warnings = checkCodes(catalog.domains, codes, faults.at('/codes'))
  const { retirement, cors, cdsHooks, outcomes } = entry
  const { horizonDays } = model.definition.card
  if (outcomes !== undefined && outcomes.horizonDays !== horizonDays)
    faults.add(
      '/outcomes/horizonDays',
      'outcomes',
      `the horizon is ${outcomes.horizonDays}; the card of ${entry.model} has ${horizonDays} days, and no other horizon fits its risks`,
    )
  const limits = limitsWith(entry.limits)
  const output: Output =
    entry.output === 'yes-no' ? { kind: 'yes-no', threshold: threshold ?? 1 } : { kind: 'number' }
  const scorerOptions: ScorerOptions = {
    output,
    reportUnknown: unknownFields === 'report',
    maxRecords: limits.records,
    maxDepth: limits.depth,
    maxKeys: limits.keysPerRecord,
    maxLineBytes: limits.lineBytes,
    conversions,
    codes,
    bands,
    assessmentDays,
    reader,
  }
  const units = Object.fromEntries(Object.entries(conversions).map(([field, { unit }]) => [field, unit]))
  const deciding = decidingSettings(entry, output, limits, units)
  const shared = catalog.sharedDigests
  return {
    name,
    model,
    output,
    unknownFields,
    limits,
    retirement,
    cors,
    cdsHooks,
    outcomes,
    scorerOptions,
    basePath: basePath === '/' ? '' : basePath,
    bands: bands ?? {},
    units,
    codes,
    warnings,
    timeZone,
    languages: languagesOf(catalog, entry.languages, faults.at('/languages')),
    deciding,
    digest: deploymentDigest({ model: model.digest, shared, settings: deciding, timeZone }),
    riskDigest: riskDigest(catalog, model.definition, deciding, conversions),
    scorer: createScorer(catalog.definitions, model.definition, scorerOptions),
    shadow: entry.shadow && shadowOf(catalog, entry.shadow, scorerOptions, faults.at('/shadow')),
  }
}

/** What is not set is left out, so that the digest of a deployment does not depend on settings that it does not use. */
function decidingSettings(
  { unknownFields, codes, bands, assessmentDays }: DeploymentSettings,
  output: Output,
  limits: Deployment['limits'],
  units: Deployment['units'],
): DecidingSettings {
  return {
    output: output.kind,
    ...(output.kind === 'yes-no' ? { threshold: output.threshold } : {}),
    ...(unknownFields === 'report' ? { unknownFields } : {}),
    keysPerRecord: limits.keysPerRecord,
    ...(isEmpty(units) ? {} : { units }),
    ...(codes === undefined || isEmpty(codes) ? {} : { codes }),
    ...(bands === undefined || isEmpty(bands) ? {} : { bands }),
    ...(assessmentDays === undefined ? {} : { assessmentDays }),
  }
}

function shadowOf(
  catalog: Catalog,
  { model: name, share = 1, budgetMs = DEFAULT_BUDGET_MS }: NonNullable<DeploymentSettings['shadow']>,
  options: ScorerOptions,
  faults: FaultList,
): ShadowModel | undefined {
  const model = modelOf(catalog, name, faults)
  if (model === undefined) return undefined
  const [failure] = model.selfCheckFailures
  if (failure !== undefined) faults.add('/model', 'not-ready', `${name} fails its own checks: ${failure}`)
  return { model, scorer: createScorer(catalog.definitions, model.definition, options), share, budgetMs }
}

function isEmpty(settings: object): boolean {
  return Object.keys(settings).length === 0
}

/** The models that entries name and that do not exist, also for entries with other faults. */
export function unknownModels(
  catalog: Catalog,
  entries: readonly Partial<DeploymentSettings>[],
): readonly Fault[] {
  const faults = new FaultList('configuration')
  entries.forEach(({ model }, index) => {
    if (model !== undefined) modelOf(catalog, model, faults.at(`/deployments/${index}`))
  })
  return faults.faults
}

function modelOf(catalog: Catalog, name: string, faults: FaultList): CatalogModel | undefined {
  const model = findModel(catalog, name)
  const known = [...catalog.models.keys()].join(', ')
  if (model === undefined)
    faults.add('/model', 'unknown-model', `there is no model ${name}; there are ${known}`)
  return model
}

/** English is in the definitions; every other language has a file. */
const DEFAULT_LANGUAGES = [ENGLISH, 'es']

function languagesOf(
  { languages: { others } }: Catalog,
  listed: readonly string[] | undefined,
  faults: FaultList,
): readonly string[] {
  const isKnown = (tag: string): boolean => tag === ENGLISH || others.has(tag)
  // A folder without the package's own files may have no Spanish.
  if (listed === undefined) return DEFAULT_LANGUAGES.filter(isKnown)
  listed.forEach((tag, index) => {
    if (isKnown(tag)) return
    const known = [ENGLISH, ...others.keys()].join(', ')
    const message = `there is no language ${tag}; there are ${known}. A language is a file languages/${tag}.json in a clinical folder`
    faults.add(`/${index}`, 'languages', message)
  })
  return [...new Set([ENGLISH, ...listed])]
}

/** How the fields that are received in another unit are converted. A field in its own unit needs no conversion. */
function conversionsFor(catalog: Catalog, entry: DeploymentSettings, faults: FaultList): Conversions {
  const conversions: Record<string, Conversion> = {}
  for (const [field, written] of Object.entries(entry.units ?? {})) {
    const known = catalog.units.get(field)
    if (known === undefined) {
      const fields = [...catalog.units.keys()].join(', ')
      faults.add(`/${field}`, 'units', `only these fields have several units: ${fields}`)
      continue
    }
    // The micro sign, the Greek letter and a plain u are the same prefix.
    const unit = written.replace(/^[uμ](?=\w+\/)/, 'µ')
    const other = Object.hasOwn(known.others, unit) ? known.others[unit] : undefined
    if (other !== undefined)
      conversions[field] = { unit, own: known.unit, times: other.times ?? 1, per: other.per ?? 1 }
    else if (unit !== known.unit) {
      const names = [known.unit, ...Object.keys(known.others)].join(', ')
      faults.add(`/${field}`, 'units', `${written} is not known for it; there are ${names}`)
    }
  }
  return conversions
}

/** Every chosen scheme is one of its scale. */
function checkChosenBands({ scales }: Catalog, chosen: ChosenBands, faults: FaultList): void {
  for (const [id, name] of Object.entries(chosen)) {
    const names = new Set((scales.get(id)?.bands ?? []).map(({ scheme }) => scheme))
    if (names.has(name)) continue
    const withBands = [...scales.values()].filter(({ bands }) => bands !== undefined)
    const message = scales.has(id)
      ? `${name} is not a scheme of it; there are ${[...names].join('; ') || 'none'}`
      : `there is no such scale; these have bands: ${withBands.map((scale) => scale.id).join(', ')}`
    faults.add(`/${id}`, 'bands', message)
  }
}
