/** How a deployment's shadow model differs from the model that answers, for its administrators. Without a shadow there is no such call. */
import type { FastifyInstance } from 'fastify'
import { type Deployment, SCORING_PATH } from '../../catalog/deployment.ts'
import { AppError } from '../../errors.ts'
import { reachOf } from '../../store/keys/keys.ts'
import type { Service } from '../service.ts'

export function shadowRoute(app: FastifyInstance, service: Service, deployment: Deployment): void {
  const { name, basePath } = deployment
  const shadow = service.shadows.get(name)
  if (shadow === undefined) return
  const config = { call: 'shadow', deployment, access: 'admin' } as const
  app.get(`${basePath}${SCORING_PATH}/shadow`, { config }, async ({ context: { key } }, reply) => {
    const reach = (key && reachOf(key)) ?? []
    if (reach !== 'all' && !reach.includes(name)) throw new AppError('KEY_SCOPE')
    // The counts of one process instead of all would be too low, so none are given.
    const all = await service.peers?.collect().catch(() => {
      throw new AppError('OVERLOADED')
    })
    return reply.send(shadow.report(all?.shadow?.[name]))
  })
}

/** The counts of every shadow of this process, for the others. */
export function shadowCounts({ shadows }: Service): Readonly<Record<string, readonly number[]>> {
  return Object.fromEntries([...shadows].map(([name, { counts }]) => [name, [...counts]]))
}
