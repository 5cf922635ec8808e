/** The document keeps to what generators of clients can turn into code that compiles and sends everything. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parseMoment } from '../../../src/adapters/fhir/read/moment.ts'
import { DEFAULT_FILE } from '@patient-risk/catalog/config'
import { serveAdapters } from '../../../../../test/support/serve-adapters.ts'
import { type RecordDocument, recordProperties } from '../../../../../test/support/openapi-check.ts'
import { SCORE, type Served } from '../../../../../test/support/serve.ts'

interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly multipleOf?: number
  readonly description?: string
  readonly pattern?: string
  readonly properties?: Readonly<Record<string, Schema>>
}
interface Parameter {
  readonly name?: string
  readonly schema?: Schema
}
interface Document extends RecordDocument {
  readonly paths: Readonly<
    Record<string, { readonly post?: { readonly parameters: readonly Parameter[] } } | undefined>
  >
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

let served: Served
let document: Document
let schemas: readonly (readonly [string, Schema])[]
before(async () => {
  served = await serveAdapters({}, { deployments: DEFAULT_FILE.deployments })
  document = (await served.get('/openapi.json')).json() as Document
  schemas = schemasIn({ paths: document.paths, components: document.components })
})
after(() => served.close())

/** Every object of the document that may be a schema, with its place. Examples are data. */
function schemasIn(value: unknown, place = ''): readonly (readonly [string, Schema])[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.entries(value).flatMap(([name, each]) =>
    name === 'example' ? [] : schemasIn(each, `${place}/${name}`),
  )
  return [[place, value], ...inner]
}
const placesOf = (isWrong: (schema: Schema) => boolean): readonly string[] =>
  schemas.filter(([, schema]) => isWrong(schema)).map(([place]) => place)

test('no value is of several types, other than null', () => {
  const found = placesOf(
    ({ type }) => Array.isArray(type) && type.filter((each) => each !== 'null').length > 1,
  )
  assert.deepEqual(found, [])
})

test('a value that may be null is in a component of its own, not in an object inside one', () => {
  const nullable = placesOf(({ type }) => Array.isArray(type) && type.includes('null'))
  const nested = nullable.filter((place) => /properties\/.*properties\//.test(place))
  // Old generators (7.14) take these as never null. They are limits that a caller sends, and figures of reports.
  assert.deepEqual(nested, [
    '/components/schemas/ReportFigures/properties/calibration/properties/ratio',
    '/components/schemas/ReportPart/properties/figures/properties/ratio',
    '/components/schemas/KeyRequest/properties/limits/properties/requestsPerMinute',
    '/components/schemas/KeyRequest/properties/limits/properties/recordsPerMinute',
  ])
})

test('no list of decimals', () => {
  const isDecimal = (value: unknown): boolean => typeof value === 'number' && !Number.isInteger(value)
  assert.deepEqual(
    placesOf((schema) => Array.isArray(schema.enum) && schema.enum.some(isDecimal)),
    [],
  )
})

test('decimals have bounds, a step where it is even, and their list in words', async () => {
  const { fields } = (await served.get(`${SCORE}/fields`)).json() as {
    readonly fields: readonly { readonly name: string; readonly values?: readonly number[] }[]
  }
  const record = recordProperties(document, 'readmission') as Readonly<Record<string, Schema>>
  const decimals = fields.filter(({ values = [] }) => values.some((value) => Math.abs(value % 1) > 0))
  assert.ok(decimals.length > 5)
  for (const { name, values = [] } of decimals) {
    const { minimum, maximum, multipleOf, description = '' } = record[name] ?? {}
    assert.deepEqual([minimum, maximum], [Math.min(...values), Math.max(...values)], name)
    assert.ok(multipleOf === undefined || values.every((value) => value % multipleOf === 0), name)
    assert.ok(description.includes(`one of ${values.join(', ')}`), description)
  }
  assert.equal(record['cdr_memory']?.multipleOf, 0.5)
})

test('whole numbers without a gap are a range, and no list of which some generators make a file', () => {
  const isConsecutive = ({ enum: values = [] }: Schema): boolean => {
    const numbers = values.filter((value) => typeof value === 'number').toSorted((a, b) => a - b)
    return numbers.length > 1 && numbers.every((value, at) => value === (numbers[0] ?? 0) + at)
  }
  const ofRecords = placesOf(isConsecutive).filter((place) => /schemas\/(PatientRecord|Scale)\./.test(place))
  assert.deepEqual(ofRecords, [])
  const record = recordProperties(document, 'readmission') as Readonly<Record<string, Schema>>
  // 0, 5, 10: with gaps.
  assert.ok(record['barthel_feeding']?.enum?.includes(5))
})

test('no schema is called as what generators make of another one', () => {
  const names = Object.keys(document.components.schemas)
  // Go: a function New<name> for each type. C#: the namespace Model.
  assert.deepEqual(
    names.filter((name) => name === 'Model' || names.includes(`New${name}`)),
    [],
  )
})

test('a FHIR resource has no named properties: generated code would send only those', () => {
  assert.deepEqual(Object.keys(document.components.schemas['FhirResource'] ?? {}), [
    'type',
    'additionalProperties',
    'description',
  ])
})

test('asOf is as strict as the service, but for 29 February', () => {
  const { parameters } = document.paths['/fhir/$score']?.post ?? { parameters: [] }
  const pattern = new RegExp(parameters.find(({ name }) => name === 'asOf')?.schema?.pattern ?? '')
  for (const text of [
    '2026-03-15',
    '2026-03-15T10:00:00Z',
    '2026-03-15T10:00',
    '2026-03-15T23:59:60.123456789+14:59',
    '2026-03-15T10:00:00.1234567890Z',
    '2024-02-29',
    '2026-02-30',
    '2026-04-31',
    '2026-12-31',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '0000-01-01',
    '2026',
    '2026-03',
    '2026-03-15T24:00',
    '2026-03-15T10',
    '2026-03-15T10:00+15:00',
    '2026-03-15 10:00',
    '15-03-2026',
    'today',
    '',
  ])
    assert.equal(pattern.test(text), parseMoment(text)?.precision === 'day', text)
})
