/** Lists what a key may use, for a page or a client that was given a key and nothing else. */
import type { FastifyInstance } from 'fastify'
import type { Deployment } from '../../catalog/deployment.ts'
import { AppError } from '../../errors.ts'
import { mayAdminister, mayUse } from '../../store/keys/key-rules.ts'
import type { StoredKey } from '../../store/store.ts'
import type { Service } from '../service.ts'

export interface DeploymentSummary {
  readonly name: string
  readonly basePath: string
  readonly title: string
  readonly model: string
  readonly output: 'number' | 'yes-no'
  readonly threshold?: number
  readonly ready: boolean
}

export interface KeySummary {
  readonly key: { readonly id: string; readonly name: string; readonly expires: string | null }
  /** Whether the key may use the management calls. */
  readonly admin: boolean
  /** After how many minutes without activity the page signs out. */
  readonly idleLockMinutes: number
  readonly deployments: readonly DeploymentSummary[]
}

export function deploymentsRoute(app: FastifyInstance, service: Service): void {
  app.route({
    method: 'GET',
    url: '/deployments',
    config: { call: 'deployments', access: 'key' },
    handler: ({ context: { key } }, reply) => {
      if (key === undefined) throw new AppError('KEY_MISSING')
      return reply.header('cache-control', 'no-store').send(summaryFor(key, service))
    },
  })
}

const IDLE_LOCK_MINUTES = 15

function summaryFor(key: StoredKey, service: Service): KeySummary {
  return {
    key: {
      id: key.id,
      name: key.name,
      expires: key.expiresAt === null ? null : new Date(key.expiresAt).toISOString(),
    },
    admin: mayAdminister(key),
    idleLockMinutes: service.idleLockMinutes ?? IDLE_LOCK_MINUTES,
    deployments: service.deployments.filter(({ name }) => mayUse(key, name)).map(summaryOf),
  }
}

function summaryOf({ name, basePath, model, output }: Deployment): DeploymentSummary {
  const { definition, trouble } = model
  return {
    name,
    basePath: basePath === '' ? '/' : basePath,
    title: definition.title,
    model: `${definition.id}@${definition.version}`,
    output: output.kind,
    ...(output.kind === 'yes-no' ? { threshold: output.threshold } : {}),
    ready: trouble.length === 0,
  }
}
