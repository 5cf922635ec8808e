/** The public part of the model card as a page: for everybody, without scripts, and without what only a key shows. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { findModel, makeDeployments, describeFields } from '@patient-risk/catalog'
import { cardPage } from '@patient-risk/catalog/pages'
import { DEFAULT_FILE } from '@patient-risk/catalog/config'
import { digestOf } from '@patient-risk/runtime'
import { type Served, serve, testCatalog } from '../../../../../test/support/serve.ts'

let served: Served
before(async () => {
  served = await serve({ deployments: DEFAULT_FILE.deployments })
})
after(() => served.close())

for (const { basePath, model } of DEFAULT_FILE.deployments) {
  const path = `${basePath === '/' ? '' : basePath}/model-card`
  test(`${path} needs no key, and shows the public part of ${model}`, async () => {
    const answer = await served.call({ path })
    assert.equal(answer.status, 200, answer.text)
    assert.match(String(answer.headers['content-type']), /^text\/html; charset=utf-8$/)
    const { definition, digest } = findModel(testCatalog(), model) ?? assert.fail(model)
    const { title, version, id, card, source, licence, inputs } = definition
    const { intendedUse, outcome, population, setting, limits, missingData, summary } = card
    const shown = [
      title,
      version,
      id,
      digest,
      intendedUse,
      outcome,
      population,
      setting,
      missingData,
      summary,
    ]
    const more = [source.cite, ...(source.links ?? []), licence.status, licence.shipped, ...limits]
    const text = answer.text
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll('&#34;', '"')
      .replaceAll('&#38;', '&')
    for (const each of [...shown, ...more, ...Object.keys(inputs)]) assert.ok(text.includes(each), each)
    // The points and coefficients need a key.
    assert.ok(!text.includes('From score to risk') && !text.includes(card.development))
  })

  test(`${path}: the policy allows its own style and nothing else`, async () => {
    const { headers, text } = await served.call({ path })
    const [, style = ''] = /<style>(.*)<\/style>/s.exec(text) ?? []
    assert.equal(
      headers['content-security-policy'],
      `default-src 'none'; style-src 'sha256-${digestOf(style)}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
    assert.doesNotMatch(text, /<script|<img|<link|<iframe| style=| on\w+=/)
  })
}

test('the digest of the deployment is the one in its answers', async () => {
  const { text } = await served.call({ path: '/flag/model-card' })
  const { digest } = (await served.get('/flag/risk/api/do/v0/fields')).json() as { digest: string }
  assert.ok(text.includes(digest))
  assert.ok(text.includes('Yes from a risk of 15 %'))
})

test('calibration by group, from the report beside the model, is shown without counts', async () => {
  const { text } = await served.call({ path: '/model-card' })
  assert.match(text, /By group, from the report of [\d-]+ on the development data\./)
  assert.match(text, />7\.0 %<\/td><td data-name="Observed">5\.9 %</)
  assert.ok(text.includes('age 50 to 64') && !text.includes('68890') && !text.includes('In the large'))
})

test('marks in a clinical file are escaped', () => {
  const catalog = testCatalog()
  const [deployment] = makeDeployments(catalog, DEFAULT_FILE.deployments).deployments
  if (deployment === undefined) return assert.fail('no deployment')
  const { definition } = deployment.model
  const evil = '<script>alert("1")</script> & `code`'
  const source = { cite: evil, links: ['https://x.example/?a=1&b="><script>'] }
  const changed = { ...definition, title: evil, source, card: { ...definition.card, limits: [evil] } }
  const fields = describeFields(catalog, definition)
  const page = cardPage({ ...deployment, model: { ...deployment.model, definition: changed } }, fields)
  assert.ok(!page.includes('<script'))
  assert.ok(page.includes('&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62; &#38; <code>code</code>'))
  assert.ok(page.includes('href="https://x.example/?a=1&#38;b=&#34;&#62;&#60;script&#62;"'))
})
