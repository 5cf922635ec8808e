/** What the tests of fetching ask the service, and what they read from its answers. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type Resource, entriesOf } from '../source.ts'
import { type Case, PLAIN, indexOf } from './cases.ts'
import { type GuardedServer } from './guarded-server.ts'
import { theService } from './harness.ts'
import type { Answer } from './service.ts'

/** No answer may take longer, whatever the other server does. */
export const LONGEST_MS = 30_000

export interface Result {
  readonly patient: string
  readonly prediction: unknown
  /** Severities and codes of the issues. */
  readonly issues: readonly string[]
  /** Their texts, without the places that they name. */
  readonly texts: readonly string[]
}

const operation = (basePath: string, query = ''): string =>
  `${basePath === '/' ? '' : basePath}/fhir/$score${query}`

/** Asks for patients of a server, which the service fetches. */
export async function scoreFetched(
  server: Pick<GuardedServer, 'url'>,
  ids: readonly string[],
  { asOf = PLAIN.asOf, basePath = '/' } = {},
): Promise<Answer> {
  const service = theService()
  const patients = ids.map((id) => ({ name: 'patient', valueReference: { reference: `Patient/${id}` } }))
  const moment = { name: 'asOf', valueDateTime: asOf }
  const parameter = [{ name: 'fhirServer', valueUrl: server.url }, ...patients, moment]
  const answer = await service.post(operation(basePath), { resourceType: 'Parameters', parameter })
  assert.ok(answer.ms < LONGEST_MS, `the answer took ${answer.ms} ms`)
  return answer
}

/** Sends all resources of patients in one Bundle. */
export async function scorePosted(
  server: Pick<GuardedServer, 'url'>,
  cases: readonly Case[],
  { asOf = PLAIN.asOf, basePath = '/' } = {},
): Promise<Answer> {
  const service = theService()
  const entry = cases
    .flatMap(({ resources }) => resources)
    .map((resource) => {
      const fullUrl = `${server.url}/${String(resource['resourceType'])}/${String(resource['id'])}`
      return { fullUrl, resource }
    })
  const query = `?history=complete&asOf=${asOf}`
  return service.post(operation(basePath, query), { resourceType: 'Bundle', type: 'collection', entry })
}

/** The results of an answer, one for each patient, in the order in which the patients occur. */
export function resultsOf(answer: Answer): readonly Result[] {
  assert.equal(answer.status, 200, answer.text)
  const byPatient = new Map<string, Resource[]>()
  for (const { link = [], resource } of entriesOf(answer.json())) {
    const about = link[0]?.url ?? ''
    byPatient.set(about, [...(byPatient.get(about) ?? []), resource])
  }
  return [...byPatient].map(([about, resources]) => {
    const outcomes = resources.filter(({ resourceType }) => resourceType === 'OperationOutcome')
    const issues = outcomes.flatMap(({ issue }) => issue as readonly Resource[]).filter(isOfPatient)
    return {
      patient: about.split('/').at(-1) ?? '',
      prediction: resources.find(({ resourceType }) => resourceType === 'RiskAssessment')?.['prediction'],
      issues: issues.map(({ severity, code }) => `${String(severity)} ${String(code)}`),
      texts: issues.map(({ details }) => String((details as Resource | undefined)?.['text'])).sort(),
    }
  })
}

/** What is doubted of a sender depends on everything that it has sent before: the same few patients, over and over. */
function isOfPatient({ details }: Resource): boolean {
  return !String((details as Resource | undefined)?.['text']).includes('Of this sender, ')
}

/** A refusal of one patient: an error, and no number. */
export function assertFailed(result: Result | undefined): void {
  assert.equal(result?.prediction, undefined)
  assert.ok(
    result?.issues.some((issue) => /^(error|fatal) /.test(issue)),
    'an error is reported',
  )
}

/** No number for anybody, with the reason in an OperationOutcome: for each patient, or for the whole call. */
export function assertNothingScored(answer: Answer, ids: readonly string[]): void {
  assert.doesNotMatch(answer.text, /probabilityDecimal|qualitativeRisk/)
  if (answer.status !== 200) {
    const { resourceType, issue } = answer.json() as Resource
    assert.deepEqual([resourceType, Array.isArray(issue)], ['OperationOutcome', true])
    return
  }
  const results = resultsOf(answer)
  assert.deepEqual(
    results.map(({ patient }) => patient),
    ids,
  )
  results.forEach(assertFailed)
}

export const CARD_SCOPES = ['patient/*.rs']

/** A call of the hook for a patient, with a token for its data. Prefetch is what the caller has fetched. */
export async function callHook(
  server: GuardedServer,
  case_: Case,
  prefetch?: Resource,
  { name = 'readmission', hook = 'encounter-discharge', scopes = CARD_SCOPES } = {},
): Promise<Answer> {
  const service = theService()
  const { token } = server.grants.issue(scopes, 300, case_.id)
  const answer = await service.post(
    `/cds-services/${name}`,
    {
      hook,
      hookInstance: HOOK_INSTANCE,
      fhirServer: server.url,
      fhirAuthorization: {
        access_token: token,
        token_type: 'Bearer',
        expires_in: 300,
        scope: scopes.join(' '),
        subject: 'patient-risk',
        patient: case_.id,
      },
      context: {
        userId: 'Practitioner/1',
        patientId: case_.id,
        ...(hook === 'encounter-discharge' && { encounterId: indexOf(case_) }),
      },
      ...(prefetch === undefined ? {} : { prefetch }),
    },
    'application/json',
  )
  assert.ok(answer.ms < LONGEST_MS, `the answer took ${answer.ms} ms`)
  return answer
}

// One instance for all calls, so that equal cards have equal ids.
const HOOK_INSTANCE = randomUUID()

export const cardsOf = (answer: Answer): readonly Resource[] => {
  assert.equal(answer.status, 200, answer.text)
  return (answer.json() as { cards: readonly Resource[] }).cards
}
