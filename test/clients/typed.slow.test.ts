/** A program that uses `openapi-typescript` and `openapi-fetch` compiles against the served document, and gets an array. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { after, before, test } from 'node:test'
import openapiTypescript, { astToString } from 'openapi-typescript'
import { type Served, serve } from '../support/serve.ts'

const PROGRAM = `
import createClient from 'openapi-fetch'
import type { paths } from './schema.js'

const client = createClient<paths>({ baseUrl: process.argv[2] ?? '', headers: { authorization: 'Bearer ' + (process.argv[3] ?? '') } })
const { data, error } = await client.POST('/risk/api/do/v0', {
  body: [{ idx: 1, age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }],
})
if (error !== undefined) throw new Error(error.code)
const risks: readonly (number | null)[] = data.map(({ risk }) => risk)
console.log(risks.join())
`

// Inside the project, so that the program finds its packages.
const folder = join('node_modules/.cache', `typed-client-${process.pid}`)
let served: Served
before(async () => {
  served = await serve()
  mkdirSync(folder, { recursive: true })
  const document = (await served.get('/openapi.json')).json()
  writeFileSync(join(folder, 'schema.d.ts'), astToString(await openapiTypescript(document as never)))
  writeFileSync(join(folder, 'program.ts'), PROGRAM)
})
after(async () => {
  await served.close()
  rmSync(folder, { recursive: true, force: true })
})

test('it compiles, and prints a number', async () => {
  const options = [
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2024',
    '--skipLibCheck',
    '--types',
    'node',
  ]
  // Not synchronously: the service answers in this process.
  const run = promisify(execFile)
  await run(process.execPath, [
    'node_modules/typescript/bin/tsc',
    '--ignoreConfig',
    ...options,
    join(folder, 'program.ts'),
  ])
  const { stdout } = await run(process.execPath, [join(folder, 'program.js'), served.origin, served.key])
  assert.equal(stdout.trim(), '0.2294')
})
