/** Management over HTTP, for keys with the scope `admin`: keys, audit rows, use over time. A key is shown in one answer only. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Check, Errors } from 'typebox/schema'
import { parseText, keysIn, withoutMark } from 'patient-risk-engine/read'
import { AppError, type ErrorCode, invalid } from '@patient-risk/runtime'
import type { AuditEntry } from '../../store/audit/audit-row.ts'
import type { AuditFilter } from '../../store/audit/list-rows.ts'
import { countUsage } from '../../store/audit/usage.ts'
import { KeyManager, type RotationRequest, describeKey } from '../../store/keys/key-manager.ts'
import { type KeyRequest, KeyRuleError } from '../../store/keys/key-rules.ts'
import {
  type MadeKey,
  OUTCOMES_SCOPE,
  type Reach,
  mayAdminister,
  maySendOutcomes,
  reachOf,
} from '../../store/keys/keys.ts'
import { API } from '../openapi/document.ts'
import { hasBody } from '../request/framing.ts'
import { mediaType, readRequestBody } from '../request/read-body.ts'
import type { StoredKey } from '../../store/store.ts'
import type { RequestContext, RouteConfig } from '../request/request-context.ts'
import type { Service } from '../service.ts'

const OK = 200
const CREATED = 201
const JSON_TYPE = 'application/json; charset=utf-8'
const BODY_BYTES = 16_384
const KEYS_PATH = '/admin/keys'
const MOST_ROWS = 500
const DEFAULT_ROWS = 50
const MOST_HOURS = 744
const DEFAULT_HOURS = 24

/** What a broken rule of keys is for the caller, where it is not an invalid request. */
const CODES: Partial<Record<KeyRuleError['subject'], ErrorCode>> = {
  'key unknown': 'NOT_FOUND',
  'key ended': 'KEY_ENDED',
  'key last': 'LAST_ADMIN_KEY',
}

/** A management call, with what its caller may manage. */
interface AdminCall {
  readonly context: RequestContext
  readonly reply: FastifyReply
  readonly reach: Reach
  readonly id: string
  readonly query: Query
}

type Answer = (call: AdminCall) => Promise<unknown>
type Query = Readonly<Record<string, unknown>>

/** Bodies by the name of their schema in the OpenAPI document. */
interface Bodies {
  readonly KeyRequest: KeyRequest
  readonly Rotation: RotationRequest
}

/** The document tells clients the rules of keys too. Here only types are checked: `store/keys` decides the rules, in its own words. */
const RULES = ['minLength', 'maxLength', 'pattern', 'minimum', 'maximum', 'uniqueItems']
const { KeyRequest: create, Rotation: rotate } = API.components['schemas'] ?? {}
// eslint-disable-next-line no-restricted-properties -- Our own document, whose names have no escapes.
const SHAPES = JSON.parse(
  JSON.stringify({ KeyRequest: create, Rotation: rotate }),
  (keyword, value: unknown) => {
    if (RULES.includes(keyword)) return undefined
    return value === 'integer' ? 'number' : value
  },
) as Readonly<Record<keyof Bodies, object>>

export function adminRoutes(app: FastifyInstance, service: Service): void {
  const { store, secrets, keyCache, clock, alarms, recorder } = service
  const keys = new KeyManager({
    store,
    secrets,
    deployments: service.deployments.map(({ name }) => name),
    domains: service.catalog.domains,
    now: () => clock.now(),
    latest: () => keyCache.latestTime(clock.now()),
  })
  /**
   * Changes keys and answers. The row of the call goes into the transaction of the change, so a change that cannot be recorded is not made,
   * and one that is answered with 503 was not made.
   */
  const change = async <T>(
    { context, reply }: AdminCall,
    status: number,
    act: (rowFor: (result: T) => AuditEntry) => Promise<T>,
    said: (result: T) => { readonly subject: string; readonly answer: object },
  ): Promise<FastifyReply> => {
    const rowFor = (result: T): AuditEntry => {
      const { subject, answer } = said(result)
      context.subject = subject
      return recorder.entryOf(context, status, JSON.stringify(answer))
    }
    try {
      const { answer } = said(await act(rowFor))
      context.recordedStatus = status
      return await reply.code(status).type(JSON_TYPE).send(JSON.stringify(answer))
    } catch (error) {
      // Nothing was changed, and another row says that the call was refused.
      context.subject = undefined
      throw error
    }
  }
  const route = (method: 'GET' | 'POST', url: string, call: string, answer: Answer): void => {
    const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
      const { context } = request
      const { id = '' } = request.params as { id?: string }
      try {
        return await answer({ context, reply, reach: reachNow(context), id, query: request.query as Query })
      } catch (error) {
        if (error instanceof KeyRuleError)
          throw new AppError(CODES[error.subject] ?? 'REQUEST_INVALID', error.message)
        throw error
      }
    }
    app.route({ method, url, config: { call, access: 'admin' }, handler })
  }

  route('GET', KEYS_PATH, 'keys list', async ({ reach }) => (await keys.list(reach)).map(describeKey))
  route('POST', KEYS_PATH, 'keys create', async (call) => {
    const request = await readAdminBody('KeyRequest', service, call.context)
    return change<MadeKey>(
      call,
      CREATED,
      (rowFor) => keys.create(request, reachNow(call.context), rowFor),
      (made) => ({ subject: made.id, answer: made }),
    )
  })
  route('POST', `${KEYS_PATH}/:id/rotate`, 'keys rotate', async (call) => {
    const { context, id } = call
    const request = await readAdminBody('Rotation', service, context)
    return change<MadeKey>(
      call,
      CREATED,
      async (rowFor) => {
        const made = await keys.rotate(id, request, reachNow(context), rowFor)
        keyCache.forget(id)
        return made
      },
      (made) => ({ subject: made.id, answer: { ...made, replaces: id } }),
    )
  })
  route('POST', `${KEYS_PATH}/:id/revoke`, 'keys revoke', async (call) => {
    const { reach, id } = call
    return change<StoredKey>(
      call,
      OK,
      async (rowFor) => {
        const revoked = await keys.revoke(id, reach, false, rowFor)
        keyCache.forget(id)
        return revoked
      },
      (revoked) => ({ subject: id, answer: describeKey(revoked) }),
    )
  })
  route('GET', '/admin/audit', 'audit list', async ({ reach, query }) => {
    const most = wholeNumber(query, 'most', MOST_ROWS) ?? DEFAULT_ROWS
    const before = wholeNumber(query, 'before', Number.MAX_SAFE_INTEGER)
    const deployments = reach === 'all' ? undefined : reach
    return store.listAudit({ deployments, filter: auditFilter(query), most, before })
  })
  route('GET', '/admin/usage', 'usage', async ({ reach, query }) => {
    const hours = wholeNumber(query, 'hours', MOST_HOURS) ?? DEFAULT_HOURS
    return countUsage(store, clock.now(), hours, reach)
  })
  alarmsRoute(app, alarms)
}

/** Open alarms, for administrators and for those who answer for the risks: each sees those of their deployments. */
function alarmsRoute(app: FastifyInstance, alarms: Service['alarms']): void {
  const config: RouteConfig = { call: 'alarms list', access: 'key' }
  app.get('/admin/alarms', { config }, async ({ context: { key } }, reply) => {
    if (key === undefined || !(mayAdminister(key) || key.scopes.includes(OUTCOMES_SCOPE)))
      throw new AppError('KEY_SCOPE', 'The API key is valid, but it lacks the scope "admin" or "outcomes".')
    const mine = (await alarms.raised()).filter(({ deployment }) => maySendOutcomes(key, deployment))
    return reply.send(
      mine.map(({ kind, deployment, keyId, field, basis, likely, reference, at }) => {
        return { kind, deployment, keyId, field, basis, likely, reference, since: new Date(at).toISOString() }
      }),
    )
  })
}

/** What the caller may manage. The hooks have checked that it is an administrator; while its body arrives, its reach may change. */
function reachNow({ key }: RequestContext): Reach {
  return (key && reachOf(key)) ?? []
}

/** Reads the body and checks its shape. A request without a body has an empty object. */
async function readAdminBody<N extends keyof Bodies>(
  name: N,
  service: Service,
  context: RequestContext,
): Promise<Bodies[N]> {
  let text = '{}'
  if (hasBody(context.raw)) {
    if (mediaType(context.raw.headers['content-type']) !== 'application/json')
      throw new AppError('MEDIA_TYPE')
    const body = withoutMark(Buffer.from(await readRequestBody(service, context, BODY_BYTES)))
    text = body.toString('utf8') || '{}'
  }
  const value = parseText(text)
  if ([...keysIn(text)].some(({ isRepeated }) => isRepeated))
    throw invalid('The body is refused: it gives a name twice.')
  if (Check(SHAPES[name], value)) return value
  const [, faults] = Errors(SHAPES[name], value)
  // An unknown property has two faults. The one that is left out here has the submitted name in its place.
  const { instancePath = '', keyword, message = '' } = faults.find((each) => each.keyword !== 'boolean') ?? {}
  const place = instancePath === '' ? '' : ` at "${instancePath}"`
  const rule = keyword === 'additionalProperties' ? 'has unknown properties' : message
  throw invalid(`The body is refused${place}: it ${rule}.`)
}

function auditFilter(query: Query): AuditFilter {
  const text = (name: string): string | undefined => {
    const value = query[name]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const time = (name: string): string | undefined => {
    const value = text(name)
    if (value === undefined) return undefined
    const at = Date.parse(value)
    if (!Number.isNaN(at)) return new Date(at).toISOString()
    throw invalid(`"${name}" takes a time, as in 2026-01-31T08:00:00Z.`)
  }
  const word = <T extends string>(name: string, words: readonly T[]): T | undefined => {
    const value = text(name)
    const known = words.find((each) => each === value)
    if (value === undefined || known !== undefined) return known
    throw invalid(`"${name}" takes one of: ${words.join(', ')}.`)
  }
  return {
    keyId: text('key'),
    deployment: text('deployment'),
    from: time('from'),
    to: time('to'),
    outcome: word('outcome', ['answered', 'refused']),
    calls: word('calls', ['scoring', 'management']),
  }
}

/** A number of the query; undefined where it is left out. */
function wholeNumber(query: Query, name: string, most: number): number | undefined {
  const text = query[name]
  if (text === undefined) return undefined
  const number = typeof text === 'string' && /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN
  if (number <= most) return number
  throw invalid(`"${name}" takes a whole number from 1 to ${most}.`)
}
