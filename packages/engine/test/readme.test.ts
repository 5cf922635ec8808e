/** The example of the README runs as it is printed there. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { makeDeployments, packDeployment } from '@patient-risk/catalog'
import { DEFAULT_FILE } from '@patient-risk/catalog/config'
import { blocksOf } from '../../../test/support/document-blocks.ts'
import { testCatalog } from '../../../test/support/serve.ts'
import * as engine from '../src/index.ts'

const IMPORTS = /^import .*\n/gm

test('the example of the README prints what the README says', () => {
  const blocks = blocksOf(readFileSync('packages/engine/README.md', 'utf8'))
  const example = blocks.find(({ language }) => language === 'js')?.text ?? ''
  const printed = blocks.find(({ language }) => language === 'text')?.text.trim()
  assert.deepEqual(
    [...example.matchAll(IMPORTS)].map(([line]) => line.trim()),
    [
      "import { compile } from 'patient-risk-engine'",
      "import deployment from './deployment.json' with { type: 'json' }",
    ],
  )
  const [deployment] = makeDeployments(testCatalog(), DEFAULT_FILE.deployments).deployments
  assert.ok(deployment?.name === 'readmission')
  const packed: unknown = JSON.parse(JSON.stringify(packDeployment(testCatalog(), deployment)))
  const lines: string[] = []
  const log = { log: (...words: readonly unknown[]) => lines.push(words.join(' ')) }
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- The text is a page of this repository.
  const run = new Function('compile', 'deployment', 'console', example.replaceAll(IMPORTS, '')) as (
    ...parts: readonly unknown[]
  ) => void
  run(engine.compile, packed, log)
  assert.deepEqual(lines, [printed])
})
