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
  json: /^application\/json/,
}
const FILES = readdirSync(BUILT).map((file) => {
  const type = TYPES[file.slice(file.lastIndexOf('.') + 1)] ?? /^$/
  return [file === 'index.html' ? '/' : `/workbench/${file}`, file, type] as const
})
interface Texts {
  readonly texts: object
}

const FIRST_LOAD_BYTES = 90_000
/** In another language: with all its texts, which are one file. */
const TRANSLATED_LOAD_BYTES = 150_000

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

/** What a browser loads before the first view in English, compressed. */
function firstLoadBytes(): number {
  const files = new Set(['index.html', 'icon.svg', 'page.css', ...staticallyLoaded('page.js')])
  return [...files].reduce((sum, file) => sum + gzipSync(readFileSync(new URL(file, BUILT))).length, 0)
}

test('the first load in English is at most 90 kB', () => {
  const bytes = firstLoadBytes()
  assert.ok(bytes <= FIRST_LOAD_BYTES, `the page takes ${bytes} bytes`)
})

test('with its texts, every other language that is offered takes at most 150 kB', async () => {
  const offered = (await (await fetch(`${served.origin}/workbench/languages.json`)).json()) as readonly {
    language: string
  }[]
  const others = offered.map(({ language }) => language).filter((language) => language !== 'en')
  assert.deepEqual(others, ['es'])
  for (const language of others) {
    const address = `${served.origin}/workbench/languages/${language}.json`
    const response = await fetch(address, { headers: { 'accept-encoding': 'gzip' } })
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-encoding'), 'gzip')
    const texts = Number(response.headers.get('content-length'))
    const { words, clinical } = (await response.json()) as Readonly<Record<'words' | 'clinical', Texts>>
    assert.ok(Object.keys(words.texts).length > 900, 'words of the page')
    assert.ok(Object.keys(clinical.texts).length > 1_200, 'texts of clinical files')
    assert.ok(texts > 0, 'the length of the texts is known')
    const bytes = firstLoadBytes() + texts
    assert.ok(
      bytes <= TRANSLATED_LOAD_BYTES,
      `the page in ${language} takes ${bytes} bytes, ${texts} of them texts`,
    )
  }
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
