/** The workflow files are valid by the schema of the code host, and run what this repository has. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { validateWorkflow } from '@action-validator/core'
import { parse } from 'yaml'

const FOLDER = '.github/workflows'

for (const name of readdirSync(FOLDER)) {
  test(`${name} is a valid workflow`, () => {
    const text = readFileSync(join(FOLDER, name), 'utf8')
    const { errors } = validateWorkflow(text)
    assert.deepEqual(errors, [])
    assert.ok(text.includes('.ci/run') && existsSync('.ci/run'))
  })
}

test('a workflow with an unknown key is refused', () => {
  const text = readFileSync(join(FOLDER, 'ci.yml'), 'utf8').replace('runs-on:', 'run-on:')
  assert.notDeepEqual(validateWorkflow(text).errors, [])
})

test('the oldest Node that package.json allows is tested', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } }
  const workflow = parse(readFileSync(join(FOLDER, 'ci.yml'), 'utf8')) as {
    readonly jobs: { readonly test: { readonly strategy: { readonly matrix: { readonly node: string[] } } } }
  }
  assert.ok(workflow.jobs.test.strategy.matrix.node.includes(engines.node.replace('>=', '')))
})

test('issue forms ask for a record without patient data', () => {
  const form = parse(readFileSync('.github/ISSUE_TEMPLATE/bug.yml', 'utf8')) as {
    readonly body: readonly { readonly id?: string; readonly validations?: { readonly required: boolean } }[]
  }
  assert.equal(form.body.find(({ id }) => id === 'record')?.validations?.required, true)
  assert.match(readFileSync('.github/ISSUE_TEMPLATE/config.yml', 'utf8'), /^blank_issues_enabled: false$/m)
})
