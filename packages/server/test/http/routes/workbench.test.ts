/** The page's files as the service sends them, and the question that the page asks first. */
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type Served, serve } from '../../../../../test/support/serve.ts'

const BUILT = new URL('../../../../workbench/built/page/', import.meta.url)
const TYPES: Readonly<Record<string, RegExp>> = {
  html: /^text\/html/,
  js: /^text\/javascript/,
  css: /^text\/css/,
  svg: /^image\/svg/,
}
const FILES = readdirSync(BUILT).map((file) => {
  const type = TYPES[file.slice(file.lastIndexOf('.') + 1)] ?? /^$/
  return [file === 'index.html' ? '/' : `/workbench/${file}`, file, type] as const
})
const FIRST_LOAD_BYTES = 90_000

let served: Served
before(async () => {
  served = await serve()
})
after(() => served.close())

for (const [path, file, type] of FILES) {
  for (const coding of ['identity', 'gzip']) {
    test(`${path} as ${coding} is the built file, with a strict policy and a tag`, async () => {
      const response = await fetch(`${served.origin}${path}`, { headers: { 'accept-encoding': coding } })
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('content-encoding') ?? 'identity', coding)
      assert.match(response.headers.get('content-type') ?? '', type)
      const policy = response.headers.get('content-security-policy') ?? ''
      assert.match(policy, /default-src 'none'/)
      assert.doesNotMatch(policy, /unsafe|\*|https?:/)
      assert.deepEqual(Buffer.from(await response.arrayBuffer()), readFileSync(new URL(file, BUILT)))

      const etag = response.headers.get('etag') ?? ''
      assert.equal(etag.endsWith('-gz"'), coding === 'gzip')
      const headers = { 'accept-encoding': coding, 'if-none-match': etag }
      const again = await fetch(`${served.origin}${path}`, { headers })
      assert.equal(again.status, 304)
      assert.equal((await again.arrayBuffer()).byteLength, 0)
    })
  }
}

test('the first load is at most 90 kB', () => {
  const first = ['index.html', 'icon.svg', 'page.css', ...staticallyLoaded('page.js')]
  const all = new Set(first)
  const bytes = [...all].reduce((sum, file) => sum + gzipSync(readFileSync(new URL(file, BUILT))).length, 0)
  assert.ok(bytes <= FIRST_LOAD_BYTES, `the page takes ${bytes} bytes`)
})

test('the texts of Spanish, which come in addition, are at most 75 kB', async () => {
  const { body } = await served.app.inject({ url: '/workbench/languages/es.json' })
  const bytes = gzipSync(body).length
  assert.ok(bytes <= 75_000, `they take ${bytes} bytes`)
})

/** A script and those that it imports at once; what it imports on demand is not among them. */
function staticallyLoaded(file: string): readonly string[] {
  const text = readFileSync(new URL(file, BUILT), 'utf8')
  const imported = [...text.matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)].map((each) => each[1] ?? '')
  return [file, ...imported.flatMap(staticallyLoaded)]
}

test('a key gets the list of deployments that it may use, and whether it may manage keys', async () => {
  const limited = await served.makeKey({ name: 'ward', scopes: ['readmission-flag'] })
  const answer = await served.get('/deployments', { authorization: `Bearer ${limited}` })
  assert.equal(answer.status, 200)
  const summary = answer.json() as {
    admin: boolean
    key: { name: string }
    deployments: { digest?: string }[]
  }
  assert.equal(summary.admin, false)
  assert.equal(summary.key.name, 'ward')
  assert.deepEqual(summary.deployments, [
    {
      name: 'readmission-flag',
      basePath: '/flag',
      title: 'Readmission within 30 days',
      model: 'readmission30@1.0.4',
      digest: summary.deployments[0]?.digest,
      output: 'yes-no',
      threshold: 0.15,
      ready: true,
    },
  ])
  assert.match(summary.deployments[0]?.digest ?? '', /^sha-256=:.{44}:$/)
})

test('without a key there is no list of deployments', async () => {
  assert.equal((await served.call({ path: '/deployments' })).status, 401)
})

test('a key for management alone has no deployment', async () => {
  const admin = await served.makeKey({ scopes: ['admin'] })
  const answer = await served.get('/deployments', { authorization: `Bearer ${admin}` })
  const summary = answer.json() as { admin: boolean; deployments: unknown[] }
  assert.equal(summary.admin, true)
  assert.deepEqual(summary.deployments, [])
})
