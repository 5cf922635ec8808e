/** The OpenAPI document is sound by itself, linted by a tool that does not know this service, and true about it. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test, { after, before } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { contract } from '../../../../../test/support/clauses.ts'
import { PATIENT } from '../../../../../test/support/contract-records.ts'
import { EXAMPLES_FILE, recordExamples } from '../../../../../scripts/openapi-examples.ts'
import { DEFAULT_FILE } from '@patient-risk/catalog/config'
import { ERRORS } from '@patient-risk/runtime'
import {
  MOST_PER_MINUTE,
  NAME_LENGTH,
  NAME_PATTERN,
  parseLifetime,
} from '../../../src/store/keys/key-rules.ts'
import {
  type OpenApiDocument,
  type RecordDocument,
  recordParts,
  recordProperties,
} from '../../../../../test/support/openapi-check.ts'
import { serveAdapters } from '../../../../../test/support/serve-adapters.ts'
import { SCORE, type Served, serve } from '../../../../../test/support/serve.ts'

interface Exemplified {
  readonly requestBody: { readonly content: { readonly 'application/json': { readonly example: unknown } } }
  readonly responses: {
    readonly 200: { readonly content: { readonly 'application/json': { readonly example: unknown } } }
  }
}

interface FullDocument extends OpenApiDocument, RecordDocument {
  readonly openapi: string
}

let served: Served
let source: string
let document: FullDocument
before(async () => {
  served = await serveAdapters({}, { deployments: DEFAULT_FILE.deployments })
  const answer = await served.call({ path: '/openapi.json' })
  source = answer.text
  document = answer.json() as FullDocument
})
after(() => served.close())

/** Every complaint of the recommended rules; none of them is turned off. */
async function complaints(text: string): Promise<readonly string[]> {
  const config = await createConfig({ extends: ['recommended'] })
  const found = await lintFromString({ source: text, config })
  return found.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`)
}

contract('9.openapi', 'it passes the recommended rules', async () => {
  assert.match(document.openapi, /^3\.1\./)
  assert.deepEqual(await complaints(source), [])
})
test('the linter finds a reference that leads nowhere', async () => {
  const broken = source.replace('"#/components/schemas/ErrorItem"', '"#/components/schemas/Nothing"')
  assert.notDeepEqual(await complaints(broken), [])
})

contract(
  '9.openapi',
  'every call has an example, and the answer of the example is the service’s own',
  async () => {
    for (const [path, { post }] of Object.entries(document.paths)) {
      // Examples with a digest are recorded, and hold another one.
      if (!path.includes(SCORE) || post === undefined || /\/(outcomes|acknowledge)$/.test(path)) continue
      const { requestBody, responses } = post as unknown as Exemplified
      const records = requestBody.content['application/json'].example
      const answer = await served.post(JSON.stringify(records), { path })
      assert.deepEqual(answer.json(), responses['200'].content['application/json'].example, path)
    }
  },
)

type Content = Readonly<Record<string, { readonly schema: object; readonly example?: unknown }>>
interface FullOperation {
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content: Content }>>
}

contract('9.openapi', 'every call has examples that fit their schemas, of its body and of its answer', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, code: { optimize: false } })
  ajv.addSchema(document, 'openapi')
  const compiled = new Map<string, ValidateFunction>()
  const checkOf = (schema: object): ValidateFunction => {
    const text = JSON.stringify(schema).replaceAll('"#/', '"openapi#/')
    const check = compiled.get(text) ?? ajv.compile(JSON.parse(text) as object)
    compiled.set(text, check)
    return check
  }
  const faults: string[] = []
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, each] of Object.entries(operations)) {
      const { requestBody, responses } = each as unknown as FullOperation
      const contents = Object.entries(responses).filter(([status]) => status.startsWith('2'))
      assert.equal(contents.length, 1, `${method} ${path} has one successful answer`)
      const described = [requestBody?.content ?? {}, ...contents.map(([, { content }]) => content)]
      for (const [type, { schema, example }] of described.flatMap((content) => Object.entries(content))) {
        const place = `${method} ${path} ${type}`
        const fits = checkOf(schema)
        // Metrics and the page of a report are text.
        if (example === undefined && !type.startsWith('text/')) faults.push(`${place}: no example`)
        if (example !== undefined && !fits(example)) faults.push(`${place}: ${ajv.errorsText(fits.errors)}`)
      }
    }
  }
  assert.deepEqual(faults, [])
})

test('the file of the interface states the errors and the bodies that the code knows, and is sound by itself', async () => {
  const text = readFileSync('api/openapi.json', 'utf8')
  const { KeyRequest, Rotation, Problem } = (JSON.parse(text) as FullDocument).components.schemas
  const { code } = Problem?.properties as { readonly code: { readonly enum: readonly string[] } }
  assert.deepEqual(code.enum, Object.keys(ERRORS))
  const { name, expires, limits } = KeyRequest?.properties as Readonly<
    Record<string, Record<string, unknown>>
  >
  assert.deepEqual([name?.['maxLength'], name?.['pattern']], [NAME_LENGTH, NAME_PATTERN])
  assert.deepEqual(
    [...JSON.stringify(limits).matchAll(/"maximum":(\d+)/g)].map(([, most]) => Number(most)),
    [MOST_PER_MINUTE, MOST_PER_MINUTE],
  )
  assert.deepEqual(Rotation?.properties, { overlap: expires, expires })
  for (const text of ['30m', '0s', '12h', '99999d', '100000d', '5', 'd', '5w', '-5m', ' 5m', '5m\n', '1.5h'])
    assert.equal(new RegExp(String(expires?.['pattern'])).test(text), parseLifetime(text) !== undefined, text)
  assert.deepEqual(await complaints(text), [])
})

test('the recorded examples are what the service answers now', async () => {
  assert.deepEqual(JSON.parse(readFileSync(EXAMPLES_FILE, 'utf8')), await recordExamples())
})

test('the tags are in the order of the documentation, and every call has one of them', () => {
  const { tags } = document as unknown as { tags: readonly { name: string }[] }
  const names = tags.map(({ name }) => name)
  assert.deepEqual(names, ['readmission', 'readmission-flag', 'mortality', 'service', 'keys'])
  for (const operations of Object.values(document.paths))
    for (const { tags: used } of Object.values(operations) as unknown as { tags: readonly string[] }[])
      assert.ok(used.length === 1 && names.includes(used[0] ?? ''))
})

test('the FHIR calls declare _format', () => {
  for (const [path, operations] of Object.entries(document.paths)) {
    if (!path.includes('/fhir/')) continue
    for (const { parameters } of Object.values(operations) as unknown as { parameters: { name: string }[] }[])
      assert.ok(
        parameters.some(({ name }) => name === '_format'),
        path,
      )
  }
})

contract('9.openapi', 'every call in it is there', async () => {
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const method of Object.keys(operations)) {
      const place = path.replaceAll(/\{[^}]+\}/g, 'x')
      const answer = await served
        .call({ method: method.toUpperCase(), path: place })
        .catch((error: unknown) => error)
      // The fixture itself fails on an answer that the document does not promise, a 404 or 405 among them.
      const isParametrised = place !== path
      if (!isParametrised) assert.ok(!(answer instanceof Error), `${method} ${path}: ${String(answer)}`)
    }
  }
})

test('FHIR and CDS Hooks: the examples are answered as the document says, and 200', async () => {
  const calls = Object.entries(document.paths).filter(([path]) => /\$score|cds-services\/./.test(path))
  assert.equal(calls.length, 5)
  for (const [path, { post }] of calls) {
    const { requestBody } = post as unknown as {
      requestBody: { content: Record<string, { example?: unknown }> }
    }
    const [[type, { example }] = ['', {}]] = Object.entries(requestBody.content)
    const answer = await served.post(example, { path, headers: { 'content-type': type } })
    assert.equal(answer.status, 200, `${path}: ${answer.text}`)
    assert.ok(['400', '401', '415'].every((status) => status in (post?.responses ?? {})))
  }
  assert.equal((await served.post('{', { path: '/fhir/$score' })).status, 400)
  assert.equal((await served.call({ method: 'POST', path: '/fhir/$score' })).status, 401)
  const xml = await served.get('/fhir/metadata', { accept: 'application/fhir+xml' })
  assert.equal(xml.status, 406)
})

test('interfaces that are switched off are not in the document', async () => {
  const deployments = [{ name: 'only', basePath: '/', model: 'readmission30', output: 'number' }] as const
  for (const plain of [await serve(), await serveAdapters({}, { deployments, isFhirServed: false })]) {
    const { paths } = (await plain.get('/openapi.json')).json() as FullDocument
    assert.deepEqual(
      Object.keys(paths).filter((path) => /fhir|cds/.test(path)),
      [],
    )
    await plain.close()
  }
})

contract('9.openapi', 'its record has exactly the fields of the catalogue', async () => {
  for (const [name, base] of [
    ['readmission', ''],
    ['readmission-flag', '/flag'],
    ['mortality', '/mortality'],
  ] as const) {
    const { fields } = (await served.get(`${base}${SCORE}/fields`)).json() as { fields: { name: string }[] }
    const names = Object.keys(recordProperties(document, name))
    assert.deepEqual(names.toSorted(), ['idx', ...fields.map((field) => field.name)].toSorted())
  }
})

test('a record lists the fields of its model first, then those of the scales that the model takes', async () => {
  const { fields } = (await served.get(`/mortality${SCORE}/fields`)).json() as {
    readonly fields: readonly { readonly name: string; readonly scale?: string; readonly use: string }[]
  }
  const used = new Set(fields.filter(({ use }) => use !== 'unused').map(({ name }) => name))
  const [own, ...ofScales] = recordParts(document, 'mortality').map((part) => Object.keys(part))
  const isSorted = (flags: readonly boolean[]): boolean =>
    flags.indexOf(false) >= flags.filter(Boolean).length
  assert.ok(isSorted((own ?? []).map((name) => name === 'idx' || used.has(name))))
  assert.ok(isSorted(ofScales.map((names) => names.some((name) => used.has(name)))))
  assert.ok(ofScales[0]?.some((name) => used.has(name)))
})

test('deployments share the fields of a scale; one that receives another unit has its own', async () => {
  const deployments = [
    { name: 'first', basePath: '/', model: 'readmission30', output: 'number' },
    { name: 'second', basePath: '/second', model: 'walter', output: 'number' },
    {
      name: 'grams',
      basePath: '/grams',
      model: 'walter',
      output: 'number',
      units: { gnri_albumin: 'g/dL' },
    },
  ] as const
  const other = await serve({ deployments })
  const { components } = (await other.get('/openapi.json')).json() as FullDocument
  await other.close()
  const scales = Object.keys(components.schemas).filter((name) => name.startsWith('Scale.'))
  assert.deepEqual(
    scales.filter((name) => name.split('.').length > 2),
    ['Scale.gnri.grams'],
  )
  assert.equal(new Set(scales).size, scales.length)
})

contract('9.openapi', 'its record schema takes what the service takes, and refuses what it refuses', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, code: { optimize: false } })
  ajv.addSchema(document, 'openapi')
  const fits = ajv.compile({ $ref: 'openapi#/components/schemas/PatientRecord.readmission' })
  assert.ok(fits({ idx: 1, ...PATIENT, barthel_total: null, mna_date: '01-02-2026' }))
  for (const wrong of [
    { age: '84' },
    { age: 17 },
    { sex: 'f' },
    { stayDays: 1.5 },
    { barthel_feeding: 3 },
    { idx: null },
  ]) {
    assert.ok(!fits({ idx: 1, ...PATIENT, ...wrong }), JSON.stringify(wrong))
  }
})

test('the page reads the document of the service, with the fields of the scales in each record', async () => {
  const shown = (await served.call({ path: '/docs/json' })).json() as typeof document
  const isRecord = (name: string): boolean => name.startsWith('PatientRecord.')
  const others = ({ components: { schemas, ...components }, ...rest }: typeof document): object => ({
    ...rest,
    components,
    schemas: Object.entries(schemas).filter(([name]) => !isRecord(name)),
  })
  assert.deepEqual(others(shown), others(document))
  for (const [name, schema] of Object.entries(shown.components.schemas).filter(([each]) => isRecord(each))) {
    const deployment = name.replace('PatientRecord.', '')
    const own = document.components.schemas[name]?.allOf?.[0]
    assert.deepEqual(
      { ...schema, description: undefined },
      {
        ...own,
        description: undefined,
        properties: recordProperties(document, deployment),
      },
    )
  }
})

contract('9.openapi', 'docs is a page to read it', async () => {
  const page = await served.call({ path: '/docs/' })
  assert.equal(page.status, 200)
  assert.match(String(page.headers['content-type']), /^text\/html/)
})
