/** Audit rows, filtered, and use over time, for keys with the scope `admin`. */
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../errors.ts'
import type { AuditFilter } from '../../store/audit/audit-filter.ts'
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
    const filter = auditFilter(query)
    return orUnavailable(() => listRows(store, reach, { most, before }, filter))
  })
  route('/admin/usage', 'usage', async (query, reach) => {
    const hours = wholeNumber(query, 'hours', MOST_HOURS) ?? DEFAULT_HOURS
    return orUnavailable(() => countUsage(store, service.clock.now(), hours, reach))
  })
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
    throw new AppError('REQUEST_INVALID', `"${name}" takes a time, as in 2026-01-31T08:00:00Z.`)
  }
  const word = <T extends string>(name: string, words: readonly T[]): T | undefined => {
    const value = text(name)
    const known = words.find((each) => each === value)
    if (value === undefined || known !== undefined) return known
    throw new AppError('REQUEST_INVALID', `"${name}" takes one of: ${words.join(', ')}.`)
  }
  const all = {
    keyId: text('key'),
    deployment: text('deployment'),
    from: time('from'),
    to: time('to'),
    outcome: word('outcome', ['answered', 'refused']),
    calls: word('calls', ['scoring', 'management']),
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
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
