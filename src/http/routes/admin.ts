/** Key management over HTTP, for keys with the scope `admin`. The key itself is shown in one answer only. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import { describeKey } from '../../store/keys/describe-key.ts'
import { ADMIN_SCOPE, EVERY_DEPLOYMENT, makeKey, rotateKey } from '../../store/keys/keys.ts'
import type { Store, StoredKey } from '../../store/store.ts'
import { NewKeyBody, RotationBody, lifetimeOf, readAdminBody } from '../request/admin-body.ts'
import type { Service } from '../service.ts'

const KEYS_PATH = '/admin/keys'
const DEFAULT_OVERLAP_MS = 24 * 3_600_000

type OneKey = FastifyRequest<{ Params: { id: string } }>

export function adminRoutes(app: FastifyInstance, service: Service): void {
  const { secret, keyRing } = service
  const store = orUnavailable(service.store)
  const route = (
    method: 'GET' | 'POST',
    url: string,
    call: string,
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ): void => {
    app.route({ method, url, config: { call, access: 'admin' }, handler })
  }
  const now = async (): Promise<number> =>
    Math.max(keyRing.latestTime(service.clock.now()), await store.latestTime())

  route('GET', KEYS_PATH, 'keys list', async () => (await store.listKeys()).map(describeKey))
  route('POST', KEYS_PATH, 'keys create', async (request, reply) => {
    const { name, deployments, admin, expires, limits } = await readAdminBody(NewKeyBody, request.context)
    const known = service.deployments.map((each) => each.name)
    if (deployments?.some((each) => !known.includes(each)) === true) {
      throw new AppError(
        'REQUEST_INVALID',
        `The body names an unknown deployment. Known deployments: ${known.join(', ')}.`,
      )
    }
    const scopes = [...(deployments ?? [EVERY_DEPLOYMENT]), ...(admin === true ? [ADMIN_SCOPE] : [])]
    const lifetimeMs = lifetimeOf(expires, 1)
    const at = await now()
    const expiresAt = lifetimeMs === undefined ? null : at + lifetimeMs
    const made = await makeKey(store, secret, { name, scopes, expiresAt, limits: limits ?? {} }, at)
    request.context.subject = made.id
    return reply.code(201).send(made)
  })
  route('POST', `${KEYS_PATH}/:id/rotate`, 'keys rotate', async (request, reply) => {
    const { overlap, expires } = await readAdminBody(RotationBody, request.context)
    const overlapMs = lifetimeOf(overlap, 0) ?? DEFAULT_OVERLAP_MS
    const lifetimeMs = lifetimeOf(expires, 1)
    const old = await keyOf(store, request)
    const at = await now()
    if (old.revokedAt !== null || (old.expiresAt !== null && old.expiresAt <= at))
      throw new AppError('KEY_ENDED')
    const times = { now: at, overlapMs, ...(lifetimeMs === undefined ? {} : { expiresAt: at + lifetimeMs }) }
    const made = await rotateKey(store, secret, old, times)
    keyRing.forget(old.id)
    request.context.subject = made.id
    return reply.code(201).send({ ...made, replaces: old.id })
  })
  route('POST', `${KEYS_PATH}/:id/revoke`, 'keys revoke', async (request) => {
    const { id } = await keyOf(store, request)
    await store.revokeKey(id, service.clock.now())
    keyRing.forget(id)
    request.context.subject = id
    return describeKey(await keyOf(store, request))
  })
}

async function keyOf(store: Store, request: FastifyRequest): Promise<StoredKey> {
  const key = await store.findKey((request as OneKey).params.id)
  if (key === undefined) throw new AppError('NOT_FOUND', 'There is no key with this id.')
  return key
}

/** The store, whose failures are answered with 503 and not as a bug. */
function orUnavailable(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return async (...args: unknown[]): Promise<unknown> => {
        try {
          return await (value as (...all: unknown[]) => unknown).apply(target, args)
        } catch {
          throw new AppError('STORE_UNAVAILABLE')
        }
      }
    },
  })
}
