/** Checks answers against the OpenAPI document of the service. */
import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Answer } from './exchange.ts'

interface Response {
  readonly headers?: Readonly<Record<string, { readonly required?: boolean } | Reference>>
  readonly content?: Readonly<Record<string, { readonly schema: unknown }>>
}
interface Operation {
  readonly responses: Readonly<Record<string, Response | Reference>>
}
interface Reference {
  readonly $ref: string
}
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** A document with the records of deployments: an object of the own fields, and one of the fields of each scale. */
export interface RecordDocument {
  readonly components: {
    readonly schemas: Readonly<
      Record<string, { readonly allOf?: readonly RecordPart[]; readonly properties?: object }>
    >
  }
}
type RecordPart = Partial<Reference> & { readonly properties?: object }

/** The properties of each part of a record, in their order. */
export function recordParts(
  { components: { schemas } }: RecordDocument,
  deployment: string,
): readonly object[] {
  const parts = schemas[`PatientRecord.${deployment}`]?.allOf ?? []
  return parts.map(({ $ref, properties }) => {
    const named = $ref === undefined ? undefined : schemas[$ref.replace('#/components/schemas/', '')]
    return properties ?? named?.properties ?? {}
  })
}

export const recordProperties = (document: RecordDocument, deployment: string): object =>
  Object.assign({}, ...recordParts(document, deployment)) as object

const PROBLEM = '#/components/schemas/Problem'

export class OpenApiCheck {
  private readonly ajv = new Ajv2020({
    allErrors: true,
    allowUnionTypes: true,
    strict: false,
    validateFormats: false,
    // Optimised code would not run faster here, and takes twice as long to generate.
    code: { optimize: false },
  })
  private readonly compiled = new Map<string, ValidateFunction>()
  private readonly document: OpenApiDocument

  constructor(document: unknown) {
    this.document = document as OpenApiDocument
    this.ajv.addSchema(document as object, 'openapi')
  }

  /** Fails unless the document promises this answer to this call. */
  hold(method: string, target: string, answer: Answer): void {
    const asGiven = target.split('?')[0] ?? ''
    const path = Object.keys(this.document.paths).find((each) => fits(each, asGiven)) ?? asGiven
    // The pages of the documentation are for people; the document describes the calls for machines.
    if (path === '/docs' || path.startsWith('/docs/')) return
    const asked = method === 'HEAD' ? 'get' : method.toLowerCase()
    const operation = this.document.paths[path]?.[asked]
    if (operation === undefined) {
      assert.ok(
        [400, 404, 405].includes(answer.status),
        `${method} ${path} is not documented: ${answer.status}`,
      )
      this.holdProblem(answer, method === 'HEAD')
      return
    }
    const place = `${method} ${path} → ${answer.status}`
    const given = operation.responses[String(answer.status)]
    assert.ok(given !== undefined, `${place} is not documented`)
    const response = this.resolve(given)
    for (const [name, header] of Object.entries(response.headers ?? {})) {
      if (this.resolve(header).required !== true) continue
      assert.ok(answer.headers[name.toLowerCase()] !== undefined, `${place} lacks the header ${name}`)
    }
    if (method === 'HEAD') return
    if (Object.keys(response.content ?? {}).length === 0) {
      assert.equal(answer.text, '', `${place} has a body`)
      return
    }
    const type = mediaType(answer)
    assert.ok(response.content?.[type] !== undefined, `${place}: the type ${type} is not documented`)
    if (type === 'application/problem+json') this.holdProblem(answer)
    const here = `#/${['paths', path, asked, 'responses', String(answer.status)].map(escape).join('/')}`
    const schema = `/${['content', type, 'schema'].map(escape).join('/')}`
    this.holdSchema(('$ref' in given ? given.$ref : here) + schema, valueOf(type, answer), place)
  }

  /** For bytes on a socket, where nobody can say which call they were meant to be. */
  holdProblemOr200(answer: Answer): void {
    if (answer.status !== 200) this.holdProblem(answer)
  }

  private resolve<T extends object>(given: T | Reference): T {
    if (!('$ref' in given)) return given
    let found: unknown = this.document
    for (const name of given.$ref.split('/').slice(1)) found = (found as Record<string, unknown>)[name]
    return found as T
  }

  private holdProblem(answer: Answer, isHead = false): void {
    assert.equal(mediaType(answer), 'application/problem+json')
    if (isHead) return
    const problem = answer.json() as Readonly<Record<string, unknown>>
    this.holdSchema(PROBLEM, problem, `status ${answer.status}`)
    assert.equal(problem['status'], answer.status)
    const id = answer.headers['x-request-id']
    if (id !== undefined) assert.equal(problem['instance'], id)
  }

  private holdSchema(pointer: string, value: unknown, place: string): void {
    let validate = this.compiled.get(pointer)
    if (validate === undefined) {
      validate = this.ajv.compile({ $ref: `openapi${pointer}` })
      this.compiled.set(pointer, validate)
    }
    if (!validate(value)) assert.fail(`${place}: ${this.ajv.errorsText(validate.errors)}`)
  }
}

/** What the schema describes: the whole body, or the array of its lines, of which the last is a problem where a stream was cut short. */
function valueOf(type: string, answer: Answer): unknown {
  if (type !== 'application/x-ndjson') return type.endsWith('json') ? answer.json() : answer.text
  const lines = answer.text.split('\n').filter(Boolean)
  const values = lines.map((line) => JSON.parse(line) as object)
  return values.filter((value) => !('code' in value))
}

function mediaType(answer: Answer): string {
  return (answer.headers['content-type'] ?? '').split(';')[0] ?? ''
}

/** A word of a JSON Pointer inside a URI fragment. */
function escape(word: string): string {
  return encodeURIComponent(word.replaceAll('~', '~0').replaceAll('/', '~1'))
}

/** Whether a path is that of the document, with a word in place of each parameter. */
function fits(documented: string, path: string): boolean {
  if (!documented.includes('{')) return documented === path
  const parts = documented.split('/')
  const given = path.split('/')
  return (
    parts.length === given.length && parts.every((part, at) => part.startsWith('{') || part === given[at])
  )
}
