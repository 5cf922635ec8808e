/** What is made from other files is up to date: editor schemas, pages and FHIR files; and the clinical files fit the schemas. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { PAGE_FOLDERS, pageFiles } from '../../../scripts/docs.ts'
import { FHIR_FOLDER, fhirFiles } from '../../../scripts/fhir-files.ts'
import { staleFiles } from '../../../scripts/generated.ts'
import { SCHEMA_FOLDER, schemaFiles } from '../../../scripts/schemas.ts'
import { makeDeployments } from '../src/catalog/deployment.ts'
import { cardPage } from '../src/pages/card-page.ts'
import { fieldsOf } from '../src/catalog/describe-fields.ts'
import type { DeploymentSettings } from '../src/config/config-schema.ts'
import { DEFAULT_FILE } from '../src/config/config-defaults.ts'
import { validFiles } from '../../../test/support/valid-folder.ts'
import { testCatalog } from '../../../test/support/serve.ts'

test('the editor schemas are up to date; if not: npm run schemas', () => {
  assert.deepEqual(staleFiles(schemaFiles(), [SCHEMA_FOLDER]), [])
})

test('the pages of scales and models are up to date; if not: npm run docs', () => {
  assert.deepEqual(staleFiles(pageFiles(), PAGE_FOLDERS), [])
})

test('no generated page prints what is not there', () => {
  const catalog = testCatalog()
  const pages = new Map(pageFiles())
  const settings = [...catalog.models.values()].map(({ definition: { id } }): DeploymentSettings => {
    return { name: id, basePath: `/${id}`, model: id, output: 'number' }
  })
  for (const deployment of makeDeployments(catalog, settings).deployments)
    pages.set(`card of ${deployment.name}`, cardPage(deployment, fieldsOf(catalog, deployment)))
  for (const [name, text] of pages) {
    const found = /\b(undefined|NaN|-?Infinity)\b|\[object |record:\w/.exec(text)
    assert.equal(found, null, `${name}: ${text.slice((found?.index ?? 0) - 40, (found?.index ?? 0) + 40)}`)
  }
  assert.ok(pages.size > 60)
})

test('the files of the FHIR interface are up to date; if not: npm run docs', async () => {
  assert.deepEqual(staleFiles(await fhirFiles(), [FHIR_FOLDER]), [])
})

const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true })
const validators = new Map<string, ValidateFunction>()
function validator(name: string): ValidateFunction {
  const known = validators.get(name)
  if (known !== undefined) return known
  const schema = readJson(join(SCHEMA_FOLDER, `${name}.schema.json`))
  const made = ajv.compile(schema as object)
  validators.set(name, made)
  return made
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'))
}

/** Every clinical file with the schema that it must fit. */
function clinicalFiles(): readonly (readonly [file: string, schema: string])[] {
  const files: [string, string][] = [['clinical/fields.json', 'fields']]
  for (const [kind, schema] of [
    ['scales', 'scale'],
    ['models', 'model'],
  ] as const) {
    for (const name of readdirSync(join('clinical', kind))) {
      const id = name.split('@')[0] ?? name
      files.push([join('clinical', kind, name, `${id}.json`), schema])
      files.push([join('clinical', kind, name, 'cases.json'), `${schema}-cases`])
    }
  }
  return files
}

test('every clinical file fits its schema, and names it for the editor where it is an object', () => {
  for (const [file, schema] of clinicalFiles()) {
    const value = readJson(file)
    const validate = validator(schema)
    assert.ok(validate(value), `${file}: ${ajv.errorsText(validate.errors)}`)
    if (Array.isArray(value)) continue
    const named = (value as { $schema?: string }).$schema ?? ''
    assert.equal(join(file, '..', named), join(SCHEMA_FOLDER, `${schema}.schema.json`), file)
    assert.ok(existsSync(join(file, '..', named)))
  }
})

test('the default configuration fits its schema', () => {
  assert.ok(validator('config')(DEFAULT_FILE), ajv.errorsText(validator('config').errors))
})

test('the schemas refuse what the shape of a file refuses', () => {
  const files = validFiles()
  const scale = files['scales/grip/grip.json'] as object
  const model = files['models/toy/toy.json'] as object
  assert.ok(validator('scale')(scale), ajv.errorsText(validator('scale').errors))
  assert.ok(validator('model')(model), ajv.errorsText(validator('model').errors))
  assert.equal(validator('scale')({ ...scale, version: '1' }), false)
  assert.equal(validator('scale')({ ...scale, colour: 'red' }), false)
  assert.equal(validator('model')({ ...model, link: { kind: 'magic' } }), false)
  assert.equal(validator('fields')({ version: 1, inputs: { a: { type: 'text', meaning: 'W' } } }), false)
  assert.equal(validator('config')({ deployments: [] }), false)
})
