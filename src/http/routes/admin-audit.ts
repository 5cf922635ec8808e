/** Newest audit rows, and use over time, for keys with the scope `admin`. */
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../errors.ts'
import { countUsage, listRows } from '../../store/audit/usage.ts'
import type { Reach } from '../../store/keys/key-rules.ts'
import { reachOfCaller } from './admin.ts'
import type { Service } from '../service.ts'

const MOST_ROWS = 500
const DEFAULT_ROWS = 50
const MOST_HOURS = 168
const DEFAULT_HOURS = 24

type Query = Readonly<Record<string, unknown>>

export function adminAuditRoutes(app: FastifyInstance, service: Service): void {
  const { store } = service
  const route = (
    url: string,
    call: string,
    answer: (query: Query, reach: Reach) => Promise<unknown>,
  ): void => {
    app.route({
      method: 'GET',
      url,
      config: { call, access: 'admin' },
      handler: (request) => answer(request.query as Query, reachOfCaller(request)),
    })
  }
  route('/admin/audit', 'audit list', async (query, reach) => {
    const most = wholeNumber(query, 'most', MOST_ROWS) ?? DEFAULT_ROWS
    const before = wholeNumber(query, 'before', Number.MAX_SAFE_INTEGER)
    return orUnavailable(() => listRows(store, reach, { most, before }))
  })
  route('/admin/usage', 'usage', async (query, reach) => {
    const hours = wholeNumber(query, 'hours', MOST_HOURS) ?? DEFAULT_HOURS
    return orUnavailable(() => countUsage(store, service.clock.now(), hours, reach))
  })
}

/** A number of the query; undefined where it is left out. */
function wholeNumber(query: Query, name: string, most: number): number | undefined {
  const text = query[name]
  if (text === undefined) return undefined
  const number = typeof text === 'string' && /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN
  if (number <= most) return number
  throw new AppError('REQUEST_INVALID', `"${name}" takes a whole number from 1 to ${most}.`)
}

async function orUnavailable<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch {
    throw new AppError('STORE_UNAVAILABLE')
  }
}
