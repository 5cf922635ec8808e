/** A deployment of a tree model over HTTP: the card stays small, and each tree is there by its number. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type ModelDefinition, type TreesDefinition, fieldsOfTrees } from 'patient-risk-engine/definition'
import { treeRecords, writeTreeFolder } from '../../../../../test/support/tree-folder.ts'
import { CLINICAL_ROOT, SCORE, type Served, serve, testCatalog } from '../../../../../test/support/serve.ts'

const folder = mkdtempSync(join(tmpdir(), 'tree-models-'))
const models = writeTreeFolder(folder, testCatalog())
let served: Served
before(async () => {
  const deployments = models.map(({ id }) => {
    return { name: id, basePath: `/${id}`, model: id, output: 'number' } as const
  })
  served = await serve({
    clinical: [CLINICAL_ROOT, folder],
    deployments: [...deployments, { name: 'plain', basePath: '/', model: 'lace', output: 'number' }],
  })
})
after(async () => {
  await served.close()
  rmSync(folder, { recursive: true, force: true })
})

const treesOf = ({ terms }: ModelDefinition): TreesDefinition =>
  terms.find((term) => term.kind === 'trees') as TreesDefinition
const pathOf = (id: string, call: string): string => `/${id}${SCORE}/${call}`

for (const model of models) {
  test(`${model.id}: the card says how many trees there are, and holds them where they are few`, async () => {
    const answer = await served.get(pathOf(model.id, 'model'))
    const { terms } = answer.json() as { readonly terms: readonly Record<string, unknown>[] }
    const { trees, ...rest } = treesOf(model)
    const nodes = trees.reduce((sum, tree) => sum + tree.length, 0)
    const expected = { ...rest, count: trees.length, fields: fieldsOfTrees(treesOf(model)) }
    assert.deepEqual(terms[0], nodes <= 400 ? { ...expected, trees } : expected)
    assert.deepEqual(terms.slice(1), model.terms.slice(1))
    assert.ok(answer.text.length < 60_000, `${answer.text.length} bytes`)
  })

  test(`${model.id}: every tree by its number, tagged with the digest of the deployment`, async () => {
    const { trees } = treesOf(model)
    for (const number of [1, trees.length]) {
      const answer = await served.get(pathOf(model.id, `model/trees/${number}`))
      assert.deepEqual(answer.json(), { number, nodes: trees[number - 1] })
      const tag = String(answer.headers.etag)
      const known = await served.get(pathOf(model.id, `model/trees/${number}`), { 'if-none-match': tag })
      assert.equal(known.status, 304)
    }
    for (const number of ['0', `${trees.length + 1}`, '-1', '1.0', '1e0', 'x']) {
      const { status, text } = await served.get(pathOf(model.id, `model/trees/${number}`))
      assert.equal(status, 404, number)
      assert.match(text, new RegExp(`numbers 1 to ${trees.length}\\.`))
    }
  })

  test(`${model.id}: scored, explained and on its card page`, async () => {
    const records = treeRecords(testCatalog(), model, 5, 7).map((record, idx) => ({ idx, ...record }))
    const scored = (await served.post(records, { path: pathOf(model.id, '').slice(0, -1) })).json() as Risk[]
    const explained = (await served.post(records, { path: pathOf(model.id, 'explain') })).json() as Risk[]
    assert.deepEqual(
      scored.map(({ risk }) => risk),
      explained.map(({ risk }) => risk),
    )
    assert.ok(scored.every(({ risk }) => typeof risk === 'number'))
    const card = await served.get(`/${model.id}/model-card`)
    assert.ok(card.text.length < 30_000, `${card.text.length} bytes`)
    assert.doesNotMatch(card.text, /undefined|NaN|\[object/)
  })
}

interface Risk {
  readonly risk: number | null
}

test('a model without trees has no such call, in the OpenAPI document either', async () => {
  assert.equal((await served.get(`${SCORE}/model/trees/1`)).status, 404)
  const { paths } = (await served.get('/openapi.json')).json() as { readonly paths: object }
  const described = Object.keys(paths).filter((path) => path.includes('/trees/'))
  assert.deepEqual(
    described,
    models.map(({ id }) => pathOf(id, 'model/trees/{number}')),
  )
})
