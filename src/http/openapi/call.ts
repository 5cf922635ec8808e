/** A call of the service as one row, and the rows as the paths of the OpenAPI document. */
import { readFileSync } from 'node:fs'
import { type JsonRecord, type JsonValue, TEXT, ref } from './json-schema.ts'

export interface Call extends CallDetails {
  readonly path: string
  readonly tag: string
  readonly id: string
  readonly summary: string
}

interface CallDetails {
  /** POST where there is a body, otherwise GET, unless it is given. */
  readonly method?: 'post'
  /** The summary as a sentence where absent. */
  readonly description?: string
  /** The name of its recorded exchange; the id where absent. */
  readonly example?: string
  readonly security?: readonly JsonRecord[]
  readonly parameters?: readonly JsonRecord[]
  readonly body?: Content
  readonly isBodyOptional?: boolean
  readonly headers?: JsonRecord
  readonly answers: Readonly<Record<number, Content>>
  /** Statuses that are answered with a problem document, or with `refusal`. */
  readonly refusals: readonly number[]
  readonly refusal?: Content
}

/** Schemas by media type, with an example where none is recorded. */
export type Content = Readonly<Record<string, { readonly schema: JsonRecord; readonly example?: JsonValue }>>

/** Statuses that any call with a key may answer. */
export const KEYED = [400, 401, 403, 429, 500, 503] as const
export const WITH_BODY = [...KEYED, 408, 413, 415] as const

const MEANING: Readonly<Record<number, string>> = {
  400: 'Malformed JSON, not UTF-8, not an array, nested too deeply, or bad framing.',
  401: 'No key, or an unknown, expired, revoked or mistyped one.',
  403: 'A valid key without this deployment in its scope.',
  404: 'There is no such thing.',
  406: 'Another format than JSON is asked for.',
  408: 'The body did not arrive in time.',
  409: 'The key is revoked or expired.',
  412: 'Data that the service needs is not in the prefetch.',
  413: 'Over the limit of bytes or records.',
  415: 'Not JSON, or an unsupported content coding.',
  422: 'The Bundle is one page of several.',
  429: 'The key has used up its requests or records of this minute, or the address has shown too many bad keys.',
  500: 'A fault of the service.',
  503: 'Not ready, overloaded or stopping; try again later.',
}
const PROBLEM: Content = { 'application/problem+json': { schema: ref('Problem') } }

type Recorded = Readonly<Record<'request' | 'answer', Readonly<Record<string, JsonValue>>>>
/** Exchanges with the default deployments, as `scripts/openapi-examples.ts` records them. */
const RECORDED = JSON.parse(
  readFileSync(new URL('../../../examples/calls.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, Recorded>>

export function call(tag: string, path: string, id: string, summary: string, details: CallDetails): Call {
  return { tag, path, id, summary, ...details }
}

export const json = (schema: JsonRecord): Content => ({ 'application/json': { schema } })

/** A parameter of the query. */
export function word(name: string, schema: JsonRecord, description: string): JsonRecord {
  return { name, in: 'query', description, schema }
}

export function pathsOf(calls: readonly Call[]): JsonRecord {
  const paths: Record<string, Record<string, JsonValue>> = {}
  for (const row of calls) {
    const { path, method = row.body === undefined ? 'get' : 'post' } = row
    paths[path] = { ...paths[path], [method]: operation(row) }
  }
  return paths
}

function operation(row: Call): JsonRecord {
  const { id, tag, summary, description = `${summary}.`, security, parameters, body, headers } = row
  const recorded = RECORDED[row.example ?? id]
  const responses: Record<string, JsonValue> = {}
  for (const status of row.refusals)
    responses[status] = { description: MEANING[status] ?? '', content: row.refusal ?? PROBLEM }
  for (const [status, content] of Object.entries(row.answers)) {
    const meaning = status === '503' ? 'Not ready.' : 'The answer.'
    responses[status] = { description: meaning, headers, content: withExamples(content, recorded?.answer) }
  }
  const required = row.isBodyOptional !== true
  const requestBody = body && { required, content: withExamples(body, recorded?.request) }
  return { operationId: id, tags: [tag], summary, description, security, parameters, requestBody, responses }
}

function withExamples(content: Content, recorded: Recorded['answer'] = {}): JsonRecord {
  const [first] = Object.values(recorded)
  const described = Object.entries(content).map(([type, { schema, example }]) => {
    const value = example ?? recorded[type] ?? (schema === TEXT ? undefined : first)
    return [type, { schema, example: value }]
  })
  return Object.fromEntries(described) as JsonRecord
}
