/** What those who run the service look at: the newest rows of the audit, and use over time. For keys with the scope `admin`. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import { countUsage, factsOf } from '../../store/audit/usage.ts'
import { authenticateAdmin } from '../request/authenticate.ts'
import type { Service } from '../service.ts'

const MOST_ROWS = 500
const DEFAULT_ROWS = 50
const MOST_HOURS = 168
const DEFAULT_HOURS = 24

type Asked = Readonly<Record<string, unknown>>

export function adminAuditRoutes(app: FastifyInstance, service: Service): void {
  const { store } = service
  const route = (url: string, call: string, answer: (asked: Asked) => Promise<unknown>): void => {
    app.route({
      method: 'GET',
      url,
      config: { audited: { call } },
      onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
        await authenticateAdmin(request, reply, service)
      },
      handler: async (request) => {
        const asked = request.query as Asked
        return answer(asked)
      },
    })
  }
  route('/admin/audit', 'audit list', async (asked) => {
    const most = wholeNumber(asked, 'most', MOST_ROWS) ?? DEFAULT_ROWS
    const before = wholeNumber(asked, 'before', Number.MAX_SAFE_INTEGER)
    const place = before === undefined ? {} : { after: before }
    const rows = await told(() => store.readAudit({ most, newestFirst: true, ...place }))
    return { rows: rows.map(factsOf), next: rows.length < most ? null : (rows.at(-1)?.seq ?? null) }
  })
  route('/admin/usage', 'usage', async (asked) => {
    const hours = wholeNumber(asked, 'hours', MOST_HOURS) ?? DEFAULT_HOURS
    return told(() => countUsage(store, service.clock.now(), hours))
  })
}

/** A figure of the address; undefined where it is left out. */
function wholeNumber(asked: Asked, name: string, most: number): number | undefined {
  const text = asked[name]
  if (text === undefined) return undefined
  const number = typeof text === 'string' && /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN
  if (number <= most) return number
  throw new AppError('REQUEST_INVALID', `"${name}" takes a whole number from 1 to ${most}.`)
}

async function told<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch {
    throw new AppError('STORE_UNAVAILABLE')
  }
}
