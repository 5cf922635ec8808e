/** Key management over HTTP, for keys with the scope `admin`. The key itself is shown in one answer only. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError, type ErrorCode } from '../../errors.ts'
import { KeyManager, describeKey } from '../../store/keys/key-manager.ts'
import { KeyRuleError, type Reach, reachOf } from '../../store/keys/key-rules.ts'
import type { Store } from '../../store/store.ts'
import { NewKeyBody, RotationBody, readAdminBody } from '../request/admin-body.ts'
import type { Service } from '../service.ts'

const KEYS_PATH = '/admin/keys'

type OneKey = FastifyRequest<{ Params: { id: string } }>

export function adminRoutes(app: FastifyInstance, service: Service): void {
  const { secret, keyCache } = service
  const store = orUnavailable(service.store)
  const route = (
    method: 'GET' | 'POST',
    url: string,
    call: string,
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ): void => {
    app.route({ method, url, config: { call, access: 'admin' }, handler })
  }
  const keys = new KeyManager({
    store,
    secret,
    deployments: service.deployments.map(({ name }) => name),
    now: () => keyCache.latestTime(service.clock.now()),
  })
  const idOf = (request: FastifyRequest): string => (request as OneKey).params.id

  route('GET', KEYS_PATH, 'keys list', async (request) =>
    (await keys.list(reachOfCaller(request))).map(describeKey),
  )
  route('POST', KEYS_PATH, 'keys create', async (request, reply) => {
    const body = await readAdminBody(NewKeyBody, request.context)
    const made = await orRefused(keys.create(body, reachOfCaller(request)))
    request.context.subject = made.id
    return reply.code(201).send(made)
  })
  route('POST', `${KEYS_PATH}/:id/rotate`, 'keys rotate', async (request, reply) => {
    const body = await readAdminBody(RotationBody, request.context)
    const id = idOf(request)
    const made = await orRefused(keys.rotate(id, body, reachOfCaller(request)))
    keyCache.forget(id)
    request.context.subject = made.id
    return reply.code(201).send({ ...made, replaces: id })
  })
  route('POST', `${KEYS_PATH}/:id/revoke`, 'keys revoke', async (request) => {
    const id = idOf(request)
    const revoked = await orRefused(keys.revoke(id, reachOfCaller(request)))
    keyCache.forget(id)
    request.context.subject = id
    return describeKey(revoked)
  })
}

/** What the caller may manage. The hooks have checked that it is an administrator. */
export function reachOfCaller({ context }: FastifyRequest): Reach {
  return (context.key && reachOf(context.key)) ?? []
}

const CODES: Readonly<Record<KeyRuleError['subject'], ErrorCode>> = {
  name: 'REQUEST_INVALID',
  deployment: 'REQUEST_INVALID',
  expires: 'REQUEST_INVALID',
  overlap: 'REQUEST_INVALID',
  limits: 'REQUEST_INVALID',
  'key unknown': 'NOT_FOUND',
  'key ended': 'KEY_ENDED',
}

/** A broken rule of keys becomes the answer to the caller. */
async function orRefused<T>(result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (error) {
    if (error instanceof KeyRuleError) throw new AppError(CODES[error.subject], error.message)
    throw error
  }
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
