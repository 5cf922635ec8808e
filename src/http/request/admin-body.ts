/** Bodies of the management calls. The OpenAPI document shows the same schemas. */
import Type from 'typebox'
import { Value } from 'typebox/value'
import { parseText } from '../../engine/read/body.ts'
import { AppError } from '../../errors.ts'
import { LIFETIME_PATTERN, MOST_PER_MINUTE, NAME_LENGTH, NAME_PATTERN } from '../../store/keys/key-rules.ts'
import { hasBody } from './framing.ts'
import { mediaType, readRequestBody } from './read-body.ts'
import type { RequestContext } from './request-context.ts'

const closed = { additionalProperties: false }
const BODY_BYTES = 16_384
const limit = Type.Optional(Type.Union([Type.Integer({ minimum: 1, maximum: MOST_PER_MINUTE }), Type.Null()]))
const lifetime = Type.Optional(Type.String({ pattern: LIFETIME_PATTERN }))

export const NewKeyBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: NAME_LENGTH, pattern: NAME_PATTERN }),
    deployments: Type.Optional(
      Type.Array(Type.String(), {
        uniqueItems: true,
        description: 'All of them where it is left out; none where it is empty.',
      }),
    ),
    admin: Type.Optional(Type.Boolean()),
    expires: lifetime,
    limits: Type.Optional(Type.Object({ requestsPerMinute: limit, recordsPerMinute: limit }, closed)),
  },
  closed,
)

export const RotationBody = Type.Object({ overlap: lifetime, expires: lifetime }, closed)

/** Reads the body and checks it against the schema. A request without a body has an empty object. */
export async function readAdminBody<T extends Type.TSchema>(
  schema: T,
  context: RequestContext,
): Promise<Type.Static<T>> {
  let text = '{}'
  if (hasBody(context.raw)) {
    if (mediaType(context.raw.headers['content-type']) !== 'application/json')
      throw new AppError('MEDIA_TYPE')
    text = Buffer.from(await readRequestBody(context, BODY_BYTES)).toString('utf8') || '{}'
  }
  const value = parseText(text)
  if (Value.Check(schema, value)) return value
  const [fault] = Value.Errors(schema, value)
  // The place and the rule, never the submitted value.
  throw new AppError(
    'REQUEST_INVALID',
    `The body is refused at "${fault?.instancePath ?? ''}": ${rule(fault?.keyword)}`,
  )
}

function rule(keyword: string | undefined): string {
  return keyword === 'additionalProperties'
    ? 'it has unknown properties.'
    : `it breaks the rule "${keyword ?? 'type'}".`
}
