/** What the bodies of the management calls may say. The OpenAPI document shows the same shapes. */
import Type from 'typebox'
import { Value } from 'typebox/value'
import { AppError } from '../../errors.ts'
import { LIFETIME_PATTERN, parseLifetime } from '../../store/keys/lifetime.ts'

const closed = { additionalProperties: false }
const MOST = 1_000_000_000
const limit = Type.Optional(Type.Union([Type.Integer({ minimum: 1, maximum: MOST }), Type.Null()]))
const lifetime = Type.Optional(Type.String({ pattern: LIFETIME_PATTERN }))

export const NewKeyBody = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: '^[^\\u0000-\\u001f\\u007f]*\\S[^\\u0000-\\u001f\\u007f]*$',
    }),
    deployments: Type.Optional(Type.Array(Type.String(), { minItems: 1, uniqueItems: true })),
    admin: Type.Optional(Type.Boolean()),
    expires: lifetime,
    limits: Type.Optional(Type.Object({ requestsPerMinute: limit, recordsPerMinute: limit }, closed)),
  },
  closed,
)

export const RotationBody = Type.Object({ overlap: lifetime, expires: lifetime }, closed)

/** The body in the shape that it must have. Throws where it has another. */
export function readAdminBody<T extends Type.TSchema>(schema: T, body: unknown): Type.Static<T> {
  const text = body instanceof Uint8Array ? Buffer.from(body).toString('utf8') : ''
  let value: unknown
  try {
    value = text === '' ? {} : JSON.parse(text)
  } catch {
    throw new AppError('BODY_MALFORMED')
  }
  if (Value.Check(schema, value)) return value
  const [fault] = Value.Errors(schema, value)
  // The place and the rule, never what was sent.
  throw new AppError(
    'REQUEST_INVALID',
    `The body is refused at "${fault?.instancePath ?? ''}": ${rule(fault?.keyword)}`,
  )
}

/** A length of time of a body in milliseconds; undefined where it is left out. */
export function lifetimeOf(text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined
  const lifetimeMs = parseLifetime(text)
  if (lifetimeMs === undefined || lifetimeMs < least) {
    throw new AppError('REQUEST_INVALID', 'A length of time is a number and a unit, as in 30m, 12h or 90d.')
  }
  return lifetimeMs
}

function rule(keyword: string | undefined): string {
  return keyword === 'additionalProperties'
    ? 'it has words that are not known here.'
    : `it breaks the rule "${keyword ?? 'type'}".`
}
