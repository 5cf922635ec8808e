/**
 * The OpenAPI document of this service, and a page to read it and try it. `api/openapi.json` describes the calls; what differs
 * between deployments is filled in here. A call is left out where the service has no route for it.
 */
import { readFileSync } from 'node:fs'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { type Catalog, type Deployment, SCORING_PATH, fieldsOf } from '@patient-risk/catalog'
import { parseJson } from 'patient-risk-engine/read'
import { AppError, packageVersion } from '@patient-risk/runtime'
import { mayAdminister, mayUse } from '../../store/keys/keys.ts'
import { PAGE_POLICY } from '../request/response-headers.ts'
import type { Service } from '../service.ts'
import { type Examples, mergeRecord, recordSchema, scoringExamples } from './record-schema.ts'

interface Described {
  readonly content?: Readonly<Record<string, { example?: unknown }>>
}
interface Operation {
  readonly operationId: string
  readonly tags: readonly [string]
  readonly parameters?: readonly { readonly name?: string }[]
  readonly requestBody?: Described
  readonly responses: Readonly<Record<string, Described>>
}
type Paths = Record<string, Record<string, Operation>>
type Components = Readonly<Record<string, Record<string, object>>>

const read = (path: string): string =>
  readFileSync(new URL(`../../../../../${path}`, import.meta.url), 'utf8')
/** The calls, their bodies and answers, as the file of the interface describes them. */
export const API = parseJson(read('api/openapi.json')) as {
  readonly info: object
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Paths
  readonly components: Components
}
/** Exchanges with the default deployments by operation, as `scripts/openapi-examples.ts` records them. */
const RECORDED = parseJson(read('examples/calls.json')) as Readonly<Record<string, Examples>>

export async function docsRoutes(app: FastifyInstance, service: Service): Promise<void> {
  const { catalog, deployments } = service
  const isOpen = service.settings.documents !== 'key'
  // Encoded once: encoding half a megabyte for each caller would keep others waiting.
  const made = new Map<string, Buffer>()
  const documentOf = (callable: readonly Deployment[], isAdmin: boolean): Buffer => {
    const id = [isAdmin, ...callable.map(({ name }) => name)].join(' ')
    const bytes =
      made.get(id) ?? Buffer.from(JSON.stringify(openApiDocument(app, catalog, callable, isAdmin)))
    made.set(id, bytes)
    return bytes
  }
  app.get('/openapi.json', { config: isOpen ? {} : { access: 'key' } }, ({ context: { key } }, reply) => {
    reply.type('application/json; charset=utf-8')
    if (isOpen) return reply.send(documentOf(deployments, true))
    if (key === undefined) throw new AppError('KEY_MISSING')
    const callable = deployments.filter(({ name }) => mayUse(key, name))
    return reply.send(documentOf(callable, mayAdminister(key)))
  })
  // The page would show everything to everybody.
  if (!isOpen) return
  // The page asks for the document when somebody opens it; to make it takes longer than the rest of a start.
  await app.register(swagger, {
    mode: 'static',
    specification: { document: { openapi: '3.1.0', info: API.info as never, paths: {} } },
  })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    transformSpecification: () => pageDocument(documentOf(deployments, true)),
    transformSpecificationClone: false,
    staticCSP: PAGE_POLICY,
    // A key typed into the page is not kept for the next visit, and there is no bar to open other documents.
    uiConfig: { layout: 'BaseLayout', persistAuthorization: false, defaultModelsExpandDepth: 0 },
    theme: {
      title: 'Patient Risk Scoring Service',
      css: [{ filename: 'theme.css', content: read('api/docs.css') }],
      js: [{ filename: 'theme.js', content: read('api/docs.js') }],
    },
  })
}

/**
 * The document as the page gets it. The page merges what a record refers to one scale after the other, each time with a copy of all before:
 * to open a call took it more than twice as long.
 */
function pageDocument(bytes: Buffer): object {
  const document = parseJson(bytes.toString()) as { readonly components: Components }
  const { schemas = {} } = document.components
  const merged = Object.entries(schemas).map(([name, schema]) => [name, mergeRecord(schema, schemas)])
  return {
    ...document,
    components: { ...document.components, schemas: Object.fromEntries(merged) as object },
  }
}

function openApiDocument(
  app: FastifyInstance,
  catalog: Catalog,
  deployments: readonly Deployment[],
  isAdmin: boolean,
): object {
  const paths: Paths = {}
  const records: Record<string, object> = {}
  const scales: Record<string, object> = {}
  const add = (path: string, method: string, operation: Operation, examples: Examples): void => {
    const route = { method: method.toUpperCase(), url: path.replaceAll(/\{(\w+)\}/g, ':$1') }
    if (!app.hasRoute(route)) return
    addExamples(operation.requestBody, examples.request)
    for (const response of Object.values(operation.responses)) addExamples(response, examples.answer)
    paths[path] = { ...paths[path], [method]: operation }
  }
  const operations = Object.entries(API.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== 'parameters')
      .map(([method, operation]) => ({ path, method, operation })),
  )
  for (const deployment of deployments) {
    const { name, basePath, output } = deployment
    const hasJobs = app.hasRoute({ method: 'POST', url: `${basePath}${SCORING_PATH}/jobs` })
    const fields = fieldsOf(catalog, deployment)
    const computed = scoringExamples(deployment, fields)
    const anyRecord = API.components['schemas']?.['PatientRecord'] ?? {}
    const made = recordSchema(name, fields, anyRecord, scales)
    records[`PatientRecord.${name}`] = made.record
    Object.assign(scales, made.scales)
    for (const { path, method, operation } of operations) {
      const { operationId: id, tags } = operation
      if (tags[0] !== 'deployment') continue
      const place = path.includes('{deployment}') ? path.replace('{deployment}', name) : basePath + path
      const examples = computed[id] ?? RECORDED[`${id}-${output.kind}`] ?? RECORDED[id]
      const filled = filledIn(operation, deployment)
      add(place, method, hasJobs ? filled : withoutJobs(filled), examples ?? {})
    }
  }
  const hasHooks = deployments.some(({ cdsHooks }) => cdsHooks !== undefined)
  for (const { path, method, operation } of operations) {
    const [tag] = operation.tags
    // Without a service to list, the list of CDS services is not worth a line.
    if (tag === 'service' ? hasHooks || path !== '/cds-services' : tag === 'keys' && isAdmin)
      add(path, method, structuredClone(operation), RECORDED[operation.operationId] ?? {})
  }
  const ofDeployments = deployments.map(({ name, model }) => {
    return { name, description: `${model.definition.title}.` }
  })
  const ofService = API.tags.filter(({ name }) => name === 'service' || (name === 'keys' && isAdmin))
  const { securitySchemes = {}, schemas } = API.components
  const components = { securitySchemes }
  addComponents(paths, { ...API.components, schemas: { ...schemas, ...records, ...scales } }, components)
  return {
    ...API,
    info: { ...API.info, version: packageVersion() },
    tags: [...ofDeployments, ...ofService],
    paths,
    components,
  }
}

/** A call that cannot make a job: the answer for that, and what asks for it, are left out. */
function withoutJobs(operation: Operation): Operation {
  const taken = operation.responses['202']
  const isJob = (taken as { readonly $ref?: string } | undefined)?.$ref?.endsWith('/JobTaken') === true
  if (!isJob) return operation
  const ofJobs = new Set(['202', '409'])
  const left = Object.fromEntries(
    Object.entries(operation.responses).filter(([status]) => !ofJobs.has(status)),
  )
  const parameters = operation.parameters?.filter(({ name }) => name !== 'Prefer') ?? []
  return { ...operation, parameters, responses: left }
}

/** An operation as one deployment has it. */
function filledIn(operation: Operation, { name, output, limits }: Deployment): Operation {
  const kind = output.kind === 'number' ? 'Number' : 'YesNo'
  // eslint-disable-next-line no-restricted-properties -- Our own document, whose names have no escapes.
  return JSON.parse(JSON.stringify(operation), (key, value: unknown) => {
    if (key === 'operationId') return `${name}-${String(value)}`
    if (key === 'tags') return [name]
    if (key === 'maxItems') return limits.records
    if (typeof value !== 'string') return value
    return value
      .replace(/schemas\/PatientRecord$/, `$&.${name}`)
      .replace(/schemas\/(Result|Explained|OutcomeElement)$/, `$&${kind}`)
      .replaceAll('{deployment}', name)
  }) as Operation
}

/** Every media type has an example where one was recorded. */
function addExamples({ content = {} }: Described = {}, recorded: Examples['answer'] = {}): void {
  const [first] = Object.values(recorded)
  for (const [type, described] of Object.entries(content)) described.example = recorded[type] ?? first
}

/** Adds the components that something refers to. Those of interfaces that are not served are left out. */
function addComponents(user: unknown, all: Components, used: Record<string, Record<string, object>>): void {
  for (const [, kind = '', name = ''] of JSON.stringify(user).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
    const component = all[kind]?.[name]
    if (component === undefined || used[kind]?.[name] !== undefined) continue
    used[kind] = { ...used[kind], [name]: component }
    addComponents(component, all, used)
  }
}
