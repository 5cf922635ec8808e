/** Newest audit rows, and use over time, for keys with the scope `admin`. */
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../errors.ts'
import { countUsage, factsOf } from '../../store/audit/usage.ts'
import type { Service } from '../service.ts'

const MOST_ROWS = 500
const DEFAULT_ROWS = 50
const MOST_HOURS = 168
const DEFAULT_HOURS = 24

type Query = Readonly<Record<string, unknown>>

export function adminAuditRoutes(app: FastifyInstance, service: Service): void {
  const { store } = service
  const route = (url: string, call: string, answer: (query: Query) => Promise<unknown>): void => {
    app.route({
      method: 'GET',
      url,
      config: { call, access: 'admin' },
      handler: (request) => answer(request.query as Query),
    })
  }
  route('/admin/audit', 'audit list', async (query) => {
    const most = wholeNumber(query, 'most', MOST_ROWS) ?? DEFAULT_ROWS
    const before = wholeNumber(query, 'before', Number.MAX_SAFE_INTEGER)
    const place = before === undefined ? {} : { after: before }
    const rows = await orUnavailable(() => store.readAudit({ most, newestFirst: true, ...place }))
    return { rows: rows.map(factsOf), next: rows.length < most ? null : (rows.at(-1)?.seq ?? null) }
  })
  route('/admin/usage', 'usage', async (query) => {
    const hours = wholeNumber(query, 'hours', MOST_HOURS) ?? DEFAULT_HOURS
    return orUnavailable(() => countUsage(store, service.clock.now(), hours))
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
