/** `patient-risk audit replay`: checks that the same body gives the same bytes with the same model. */
import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { FETCHED, loadMapping, jobRunner } from '@patient-risk/server/adapters'
import {
  type Deployment,
  makeDeployments,
  type DecidingSettings,
  packDeployments,
  unpackScorers,
  wordsOf,
} from '@patient-risk/catalog'
import type { DeploymentSettings } from '@patient-risk/catalog/config'
import { parseJson, withoutMark } from 'patient-risk-engine/read'
import { type Codes, SeenIdx, type Call, type LineCall, type Scorer } from 'patient-risk-engine'
import { AppError, type Seal, appErrorOf, digestOf, makeSeal, sealRequestId } from '@patient-risk/runtime'
import type { AuditFacts, KeySecrets, Store } from '@patient-risk/server/store'
import { mappingFolders, type Loaded, loadOrRefusal } from '../catalog/load-catalog.ts'
import { Refusal, command, printOutput } from '../command.ts'
import { withAudit } from '../with-store.ts'

interface Recorded extends AuditFacts {
  readonly settings?: DecidingSettings
  /** Rows before 0.2.0 have none, and neither units nor bands in their settings. */
  readonly deploymentDigest?: string
  readonly model: string
  readonly service: string
  readonly modelDigest: string
  readonly status: number
  readonly today?: number
  /** The codes of the key, where it had its own. */
  readonly codes?: Codes
  readonly codesDigest?: string
  readonly bodyDigest: string | null
  readonly answerDigest: string | null
}

const CALLS: readonly Call[] = ['score', 'validate', 'explain']
const FHIR_CALL = 'fhir $score'
const MOST_ROWS = 1_000

export const auditReplay = command(
  { texts: ['body', 'request', 'query'], required: ['body', 'request'] },
  async ({ body: path, request, query = '' }) => {
    const loaded = loadOrRefusal()
    const body = await readFile(path).catch(() => refuse(`The file ${path} cannot be read.`))
    return withAudit(async ({ store, secrets }) => {
      const { recorded, seal } = await findRecorded(store, secrets, request, digestOf(body))
      const deployment = deploymentOf(recorded, loaded)
      // The audit does not say in which language an answer was: English is the first that is tried.
      const isSame = deployment.languages.some((language) => {
        const answer = answerAgain(recorded, deployment, body, query, loaded, language)
        return seal(digestOf(answer)) === recorded.answerDigest
      })
      if (!isSame) refuse(`The answer differs from the recorded one.${whyDifferent(recorded, deployment)}`)
      return printOutput(`The same bytes: ${recorded.model} gives this body the recorded answer.\n`)
    }, loaded.config)
  },
)

function refuse(reason: string): never {
  throw new Refusal(reason)
}

/** A caller may use an id more than once; the body shows which request is meant. A row keeps the seal of the secret of its time. */
async function findRecorded(
  store: Store,
  secrets: KeySecrets,
  request: string,
  digest: string,
): Promise<{ readonly recorded: Recorded; readonly seal: Seal }> {
  const rows: Recorded[] = []
  const seals = secrets.all.map(makeSeal)
  // The form that version 0.1.0 gave to a caller's own id.
  const formOf010 = `sha256-${hash('sha256', request, 'hex').slice(0, 24)}`
  for (const requestId of [request, ...seals.map((seal) => sealRequestId(seal, request)), formOf010]) {
    const found = await store.readAudit({ requestId, newestFirst: true, most: MOST_ROWS })
    rows.push(...found.map(({ content }) => parseJson(content) as Recorded))
  }
  if (rows.length === 0) refuse(`There is no request ${request} in the audit.`)
  for (const seal of seals) {
    const recorded = rows.find(({ bodyDigest }) => bodyDigest === seal(digest))
    if (recorded !== undefined) return { recorded, seal }
  }
  return refuse('This is not the body of that request: its digest differs.')
}

/** What has changed since the answer, as far as the digests show it. */
function whyDifferent({ deploymentDigest }: Recorded, { digest }: Deployment): string {
  if (deploymentDigest === undefined)
    return ' Its row does not hold the units of the deployment; rows of this version do.'
  return deploymentDigest === digest ? '' : ' The scales, the fields or the time zone have changed since.'
}

/** The bytes that the recorded request would get now. */
function answerAgain(
  recorded: Recorded,
  deployment: Deployment,
  body: Uint8Array,
  query: string,
  loaded: Loaded,
  language: string,
): Uint8Array {
  const call = CALLS.find((each) => each === recorded.call)
  const isStream = recorded.ended !== undefined
  const { today, code, status, service } = recorded
  if (today === undefined)
    return refuse(`The request was refused (${code ?? status}), so there is nothing to compare.`)
  if (call === undefined && recorded.call !== FHIR_CALL)
    return refuse(`The answer to a ${recorded.call} cannot be replayed.`)
  if (recorded.subject === FETCHED)
    return refuse(
      'The data was fetched from a FHIR server, so the body alone does not give the answer again.',
    )
  try {
    if (call === undefined)
      return answerOfFhir(deployment, loaded, { body, query, today, isStream, service, language })
    const scorer = scorerOf(recorded, deployment, loaded)
    const words = call === 'explain' ? wordsOf(loaded.catalog, language) : undefined
    const calls =
      words === undefined ? { body: scorer[call], lines: scorer.lines[call] } : scorer.explainIn(words)
    if (isStream) return answerOfStream(calls.lines, withoutMark(body), today)
    return calls.body(body, today).bytes
  } catch (error) {
    const refusal = appErrorOf(error)
    if (refusal === undefined) throw error
    return refuse(`The body is refused now: ${refusal.code}.`)
  }
}

/** With the codes that the key had, whatever has become of the key. */
function scorerOf(recorded: Recorded, deployment: Deployment, { catalog }: Loaded): Scorer {
  const { codes, codesDigest: digest = '' } = recorded
  if (codes === undefined) return deployment.scorer
  return unpackScorers(packDeployments(catalog, [deployment]))(deployment.name, { codes, digest })
}

/** With the mapping of the current configuration: the audit does not record which one was used. */
function answerOfFhir(
  deployment: Deployment,
  { config, catalog }: Loaded,
  given: {
    body: Uint8Array
    query: string
    today: number
    isStream: boolean
    service: string
    language: string
  },
): Uint8Array {
  const { mapping } = loadMapping(mappingFolders(config), catalog, config.fhir.mapping)
  if (mapping === undefined) throw new AppError('MODEL_NOT_READY')
  const { body, today, isStream, service, language } = given
  const parameters = new URLSearchParams(given.query)
  const query = Object.fromEntries([...parameters.keys()].map((name) => [name, parameters.getAll(name)]))
  const { timeZone } = config
  const run = jobRunner({ deployments: packDeployments(catalog, [deployment]), mapping, timeZone, service })
  return run({
    kind: isStream ? 'lines' : 'bundle',
    deployment: deployment.name,
    body,
    today,
    query,
    language,
  }).bytes
}

/** Scores a stream at once: as when its records came one by one, a record is refused if an earlier one has its idx. */
function answerOfStream(answerLines: LineCall, body: Uint8Array, today: number): Uint8Array {
  const answer = answerLines(body, today, { first: 0, duplicates: new Set() })
  const duplicates = new SeenIdx(Infinity).addLines(answer, 0)
  return duplicates.size === 0 ? answer.bytes : answerLines(body, today, { first: 0, duplicates }).bytes
}

/** The deployment as it was at the time, whatever the current configuration says. */
function deploymentOf(recorded: Recorded, { config, catalog }: Loaded): Deployment {
  const { settings, code, status, modelDigest } = recorded
  if (settings === undefined)
    return refuse(`The request was refused (${code ?? status}), so there is nothing to compare.`)
  const model = catalog.models.get(recorded.model)
  if (model === undefined) return refuse(`The model ${recorded.model} is not in the catalogue any more.`)
  if (model.digest !== modelDigest)
    return refuse(`The file of the model ${recorded.model} is not the one that answered: its digest differs.`)
  const { keysPerRecord, ...deciding } = settings
  const now = config.deployments.find(({ name }) => name === recorded.deployment)
  const entry: DeploymentSettings = {
    name: recorded.deployment ?? 'replay',
    basePath: '/',
    model: recorded.model,
    ...deciding,
    limits: { records: 1_000_000, depth: 64, ...now?.limits, keysPerRecord },
  }
  const [deployment] = makeDeployments(catalog, [entry], config.timeZone).deployments
  return deployment ?? refuse('The deployment cannot be rebuilt from the audit row.')
}
