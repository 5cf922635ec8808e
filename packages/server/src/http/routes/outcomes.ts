/** What came true of the risks: a call that takes outcomes, one that shows how the risks did, and one that acknowledges an alarm. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type Deployment, SCORING_PATH } from '@patient-risk/catalog'
import { sealOfRequest, AppError, invalid, isoTime } from '@patient-risk/runtime'
import { type OutcomeRules, cellKey, receiptKey } from 'patient-risk-engine'
import {
  ACKNOWLEDGE_REASONS,
  WHOLE,
  lastKnown,
  localEvidence,
  monthOfDay,
  oldestAccepted,
  performanceAnswer,
} from '@patient-risk/monitor'
import { mediaType, readRequestBody } from '../request/read-body.ts'
import type { Access, OutcomeFacts, RequestContext, RouteConfig } from '../request/request-context.ts'
import type { ReceiptRules } from '../receipts/receipt.ts'
import { PROCESS_HOST } from '../scoring/process-host.ts'
import { type CountableOutcomes, type OutcomeJob, readCountable } from '../scoring/scoring-jobs.ts'
import { sumsOf } from '../../store/outcomes/outcome-sums.ts'
import { acceptedUntil } from '../../store/outcomes/accepted-until.ts'
import { type PackedOutcomes, cellCount } from '../../store/outcomes/packed-cells.ts'
import { readPlaces } from '../../store/outcomes/refused-places.ts'
import { serialsOf } from '../../store/outcomes/sql-receipts.ts'
import type { PackedShadow } from '../../store/outcomes/packed-shadow.ts'
import { groupEntries } from '../../store/audit/audit-row.ts'
import type { CountedAs, OutcomeRequest } from '../../store/outcomes/sql-outcomes.ts'
import { shadowName } from '../../store/outcomes/sql-shadow.ts'
import type { StoredKey } from '../../store/store.ts'
import type { Service } from '../service.ts'

/** What tells a request from others, and its body from others: a repeat has both. */
interface OutcomeSeals {
  readonly request: string
  readonly body: string
}

const OK = 200
const MOST_CELLS = 10_000
const IDEMPOTENCY_KEY = /^[\x21-\x7e]([\x20-\x7e]{0,253}[\x21-\x7e])?$/

export function outcomeRoutes(app: FastifyInstance, service: Service, deployment: Deployment): void {
  const path = deployment.basePath + SCORING_PATH
  const config = (call: string, access: Access, isCounted = false): RouteConfig => {
    return { call, deployment, access, isCounted }
  }
  app.post(`${path}/outcomes`, { config: config('outcomes', 'outcomes', true) }, ({ context }, reply) =>
    takeOutcomes(service, deployment, context, reply),
  )
  app.get(
    `${path}/performance`,
    { config: config('performance', 'outcomes', true) },
    async ({ query }, reply) => {
      const { digest } = query as Readonly<Record<string, string | undefined>>
      const { store, outcomes: watch, figures: cache, clock } = service
      const parts = { store, watch, clock, host: PROCESS_HOST, cache, isoTime }
      const answer = await performanceAnswer(parts, deployment, digest)
      if (answer === undefined)
        throw new AppError('NOT_FOUND', 'The deployment never had the state with this digest.')
      return reply.send(answer)
    },
  )
  const evidence = { config: config('local evidence', 'deployment', true) }
  app.get(`${path}/local-evidence`, evidence, async (_request, reply) => {
    const { outcomes: watch, clock } = service
    return reply.send(await localEvidence({ watch, clock, isoTime }, deployment))
  })
  const acknowledge = config('alarm acknowledge', 'manager')
  app.post(`${path}/performance/acknowledge`, { config: acknowledge }, async ({ query, context }, reply) => {
    const { group = WHOLE, reason } = query as Readonly<Record<string, string | undefined>>
    if (reason !== undefined && !ACKNOWLEDGE_REASONS.some((each) => each === reason))
      throw invalid(`"reason" takes one of: ${ACKNOWLEDGE_REASONS.join(', ')}.`)
    if (!(await service.outcomes.acknowledge(deployment, group)))
      throw new AppError('NOT_FOUND', 'There is no open alarm of this deployment and group.')
    const subject = group === WHOLE ? 'whole' : `group ${group}`
    context.subject = reason === undefined ? subject : `${subject}, reason: ${reason}`
    return reply.send({ acknowledged: true })
  })
}

async function takeOutcomes(
  service: Service,
  deployment: Deployment,
  context: RequestContext,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { dispatcher, quota, outcomes: watch, recorder, store, clock, secrets, keyCache } = service
  const { headers } = context.raw
  if (mediaType(headers['content-type']) !== 'application/json')
    throw new AppError('MEDIA_TYPE', 'The body must be sent as "Content-Type: application/json".')
  const idempotencyKey = headers['idempotency-key']
  if (idempotencyKey !== undefined && !IDEMPOTENCY_KEY.test(String(idempotencyKey)))
    throw invalid('The header "Idempotency-Key" takes 1 to 255 printable ASCII characters.')
  const body = await readRequestBody(service, context, deployment.limits.bytes)
  const states = await watch.statesOf(deployment)
  const today = clock.today()
  const horizonDays = deployment.model.definition.card.horizonDays
  const rules: OutcomeRules = {
    states: Object.fromEntries(
      states.map(({ digest, output, threshold }) => [digest, { output, threshold }]),
    ),
    present: deployment.digest,
    groups: deployment.outcomes?.groups ?? [],
    month: monthOfDay(today),
    oldestMonth: oldestAccepted(today, horizonDays),
    knownMonth: lastKnown(today, horizonDays),
    isDeath: deployment.model.definition.card.competing === 'impossible',
    shadowThreshold: shadowThreshold(deployment),
    reportUnknown: deployment.unknownFields === 'report',
    maxRecords: deployment.limits.records,
    maxDepth: deployment.limits.depth,
    maxKeys: deployment.limits.keysPerRecord,
  }
  const receiptRules: ReceiptRules = {
    secrets: secrets.all,
    deployment: deployment.name,
    digests: Object.keys(rules.states),
    shadow: deployment.shadow?.model.digest,
  }
  const readBy = (more: CountedBefore = {}): Promise<CountableOutcomes> => {
    // A worker takes the body, and one with corrections or receipts is read several times. The slice of a Buffer would be no copy.
    const copy = new Uint8Array(body)
    const job: OutcomeJob = { rules: { ...rules, ...more }, receipts: receiptRules, body: copy }
    return dispatcher.run<CountableOutcomes>(job, () => readCountable(job))
  }
  const first = await context.waitFor(readBy())
  const { records } = first
  refuseTooManyCells(first, deployment)
  await quota.takeRecords(context, reply, { records, scored: 0, problems: new Map() })
  // The state of the service decides which secret is in use; a retry may have met another one.
  const sealsBy = (secret: Uint8Array, keyId: string): OutcomeSeals => {
    const parts = [keyId, deployment.name, idempotencyKey ?? null, context.bodyDigest ?? null]
    return {
      request: sealOfRequest(secret, idempotencyKey === undefined ? parts : parts.slice(0, -1)),
      body: sealOfRequest(secret, parts),
    }
  }
  const key = context.key as StoredKey
  // A retry may come with the key that has replaced the one of the first try.
  const firstId = await keyCache.firstIdOf(key)
  const earlier = secrets.all.flatMap((secret) => {
    const known = secret === secrets.inUse ? [] : [sealsBy(secret, firstId)]
    // As versions before this one sealed it.
    return key.id === firstId ? known : [...known, sealsBy(secret, key.id)]
  })
  const seals = { ...sealsBy(secrets.inUse, firstId), earlier }
  const count = async (read: CountableOutcomes): Promise<CountedAs> => {
    // The row goes into the transaction of the counts. Where nothing is counted, another row says so.
    const { text, counted, cells, shadowCells, corrected, refused } = read
    const receipts = serialsOf(read.newReceipts)
    const sums = sumsOf(deployment.name, cells)
    noteOutcomes(context, { counted, repeats: 0, sums }, `${counted} of ${records} counted`)
    const row = groupEntries([recorder.entryOf(context, OK, text)])
    noteOutcomes(context)
    const keptUntil = acceptedUntil(newestMonth(cells) ?? rules.month, horizonDays)
    const shadow = shadowDigest(deployment, shadowCells)
    const parts = { deployment: deployment.name, now: clock.now(), keptUntil, row }
    return store.countOutcomes({ ...parts, ...seals, cells, shadow, corrected, receipts, refused })
  }
  const { read, done } = await context.waitFor(countCorrected(service, deployment, first, readBy, count))
  if (done === 'conflict') throw new AppError('IDEMPOTENCY_KEY_REUSED')
  const { text, counted } = read
  const isCounted = done === 'counted'
  if (isCounted) context.recordedStatus = OK
  const facts = isCounted ? { counted, repeats: 0 } : { counted: 0, repeats: counted }
  noteOutcomes(context, facts, `${counted} of ${records} ${isCounted ? 'counted' : 'repeated'}`)
  if (isCounted && counted > 0) service.outcomeSchedule.judgeSoon(deployment)
  return reply.type('application/json; charset=utf-8').send(text)
}

/** What was counted before a body, which decides on corrections and receipts. */
type CountedBefore = Pick<OutcomeRules, 'counted' | 'received' | 'refused'>

/** Others may take what a body corrects, or use its receipts, between the reading of the counts and its own transaction. */
const MOST_TRIES = 20

/** Counts a body. Corrections and receipts are read against what is counted now; a repeat is answered as the first time. */
async function countCorrected(
  { store }: Service,
  { name }: Deployment,
  first: CountableOutcomes,
  readBy: (more: CountedBefore) => Promise<CountableOutcomes>,
  count: (read: CountableOutcomes) => Promise<CountedAs>,
): Promise<{ readonly read: CountableOutcomes; readonly done: CountedAs }> {
  const { corrected } = first
  if (corrected.length === 0 && first.receipts.length === 0) return { read: first, done: await count(first) }
  const receipts = serialsOf(first.receipts)
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const numbers = await store.readCells(name, corrected)
    const counted = Object.fromEntries(corrected.map((cell, at) => [cellKey(cell), numbers[at] ?? 0]))
    const received = new Set<string>()
    for (const { serials, ...place } of await store.readReceived(name, receipts))
      for (const serial of serials) received.add(receiptKey({ ...place, serial }))
    const read = await readBy({ counted, received })
    const done = await count(read)
    if (done.startsWith('repeated')) return { read: await readBy({ refused: refusedIn(done) }), done }
    if (done !== 'changed') return { read, done }
  }
  throw new AppError('OVERLOADED')
}

const REPEATED = 'repeated '

function refusedIn(done: CountedAs): readonly number[] {
  return readPlaces(done.startsWith(REPEATED) ? done.slice(REPEATED.length) : '')
}

/** The risk from which the shadow flags; undefined where there is none. */
function shadowThreshold({ shadow }: Deployment): number | null | undefined {
  return shadow && (shadow.model.definition.threshold?.risk ?? null)
}

function shadowDigest({ shadow }: Deployment, cells: PackedShadow): OutcomeRequest['shadow'] {
  return shadow && { digest: shadowName(shadow.model), cells }
}

/** What the next row of the call says; nothing of outcomes where nothing is given. */
function noteOutcomes(context: RequestContext, facts?: OutcomeFacts, subject?: string): void {
  context.outcomes = facts
  context.subject = subject
}

/** One transaction stores all cells of a body, and looks at each that it corrects; others that write wait for it. */
function refuseTooManyCells({ cells, corrected }: CountableOutcomes, { outcomes }: Deployment): void {
  const count = cellCount(cells) + corrected.length
  const most = outcomes?.maxCells ?? MOST_CELLS
  if (count <= most) return
  throw new AppError(
    'TOO_MANY_CELLS',
    `The outcomes of the body change ${count} counts; the limit is ${most}, and nothing was counted. Send them in several requests.`,
  )
}

function newestMonth({ totals }: PackedOutcomes): string | undefined {
  return totals.places
    .map(({ month }) => month)
    .sort()
    .at(-1)
}
