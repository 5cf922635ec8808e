/** The OpenAPI document describes the reports that `learn` writes, whole: the page and other clients rely on it. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ModelDefinition } from 'patient-risk-engine/definition'
import { fitModel, recalibrateModel, type Report, validateModel } from '@patient-risk/data/learn'
import type { Report as ShownReport } from '../src/shapes/report.ts'
import {
  HEADER,
  SPECIFICATION,
  csvOf,
  fileWith,
  fitInput,
  inventRows,
} from '../../../test/support/learning.ts'

// The compiler compares the two types in every property, whether a report must have it or not. What is a number for `learn` may be
// null in its file.
type Whole<T> = T extends number | null
  ? number | null
  : T extends readonly (infer Item)[]
    ? readonly Whole<Item>[]
    : T extends object
      ? { readonly [Name in keyof T]-?: Whole<Exclude<T[Name], undefined>> }
      : T
const toShown = (report: Whole<Report>): Whole<ShownReport> => report
const toWritten = (report: Whole<ShownReport>): Whole<Report> => report

const rows = inventRows(800, 3)
const columns = rows.map((row, index) => {
  const patient = index < 5 ? '' : row.patient
  const died = row.died === 0 && index % 40 === 0 ? 'elsewhere' : row.died
  const stay = index % 9 === 0 ? '' : row.stay
  return [
    patient,
    row.age,
    row.sex,
    row.admissions,
    stay,
    row.died,
    row.patient % 2,
    1 + (index % 3),
    died,
  ].join(',')
})
const path = fileWith('rows.csv', `${[`${HEADER},site,weight,ended`, ...columns].join('\n')}\n`)
const data = {
  ...SPECIFICATION.data,
  groups: ['site'],
  splitBy: 'site',
  weights: 'weight',
  competing: { column: 'ended', values: ['elsewhere'] },
}
const inputs = { ...SPECIFICATION.model.inputs, stayDays: { whenAbsent: 4, why: 'Not known.' } }
const model = { ...SPECIFICATION.model, inputs }
const full = fitInput(path, { data, model, fit: { bootstrap: 3 } })
const plain = fitInput(fileWith('plain.csv', csvOf(rows)), { fit: { bootstrap: 3 } })
const separated = rows.map((row) => ({ ...row, died: row.age > 60 ? (1 as const) : (0 as const) }))
const ridge = fitInput(fileWith('separated.csv', csvOf(separated)), { fit: { bootstrap: 3, ridge: {} } })
const { definition } = await fitModel(plain)
const ofSex = definition.terms.filter(({ kind }) => kind === 'category')
const table: ModelDefinition = {
  ...definition,
  inputs: { sex: { values: ['F', 'M'] } },
  terms: ofSex.map((term) => ({ ...term, points: { F: 0, M: 2 } }) as (typeof ofSex)[number]),
  link: { kind: 'scoreTable', from: 0, risks: [0.05, 0.08, 0.2] },
  threshold: { risk: 0.1, score: 2, published: true, note: 'Invented.', cost: 'Invented.' },
}
const change = { ...plain, model: definition, version: '1.1.0', samples: 3, allowSmallSample: true }

const REPORTS: Readonly<Record<string, () => Promise<unknown>>> = {
  'a released model': () =>
    Promise.resolve(JSON.parse(readFileSync('clinical/models/readmission30/report.json', 'utf8'))),
  'a fit with groups, weights, a split and a competing event': async () => (await fitModel(full)).report,
  'a penalised fit that has no slope': async () => (await fitModel(ridge)).report,
  'a validation on the data of the fit': () =>
    validateModel({
      ...plain,
      model: definition,
      samples: 3,
      refit: { model: plain.model, options: plain.options },
    }),
  'a refit': async () => (await recalibrateModel({ ...change, method: 'refit' })).report,
  'a new slope': async () => (await recalibrateModel({ ...change, method: 'slope' })).report,
  'a table of scores': async () =>
    (await recalibrateModel({ ...change, model: table, method: 'auto' })).report,
}

interface Schema {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
}
const document = JSON.parse(readFileSync('api/openapi.json', 'utf8')) as {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}
const { schemas } = document.components
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
ajv.addSchema(document, 'openapi')
const fits = ajv.compile({ $ref: 'openapi#/components/schemas/Report' })

/** The path of every property that the schema knows, through lists and references. */
function describedIn(schema: Schema, at = ''): readonly string[] {
  const { $ref, properties = {}, items } = schema
  if ($ref !== undefined) return describedIn(schemas[basename($ref)] as Schema, at)
  if (items !== undefined) return describedIn(items, at)
  return Object.entries(properties).flatMap(([name, each]) => [
    `${at}/${name}`,
    ...describedIn(each, `${at}/${name}`),
  ])
}

function writtenIn(value: unknown, at = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each) => writtenIn(each, at))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => [
    `${at}/${name}`,
    ...writtenIn(each, `${at}/${name}`),
  ])
}

const written = new Set<string>()
for (const [name, make] of Object.entries(REPORTS)) {
  test(`the report on ${name} is as the document says`, async () => {
    const report: unknown = JSON.parse(JSON.stringify(await make()))
    assert.ok(fits(report), ajv.errorsText(fits.errors))
    for (const place of writtenIn(report)) written.add(place)
  })
}

test('these reports have every part that the document describes', () => {
  const described = describedIn({ $ref: '#/components/schemas/Report' })
  assert.deepEqual(
    described.filter((place) => !written.has(place)),
    [],
  )
})

test('the type of the page and that of the command have the same properties', () => {
  const report = { kind: 'fit' } as Whole<Report>
  assert.equal(toWritten(toShown(report)), report)
})
