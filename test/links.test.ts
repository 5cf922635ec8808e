/** Links between the documents of the project, and what the documents must name. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { STATUS } from '../src/http/request/problem.ts'

const LINK = /\]\(([^)\s]+)\)/g
const documents = [
  ...readdirSync('.').filter((name) => name.endsWith('.md')),
  ...['docs', 'clinical', 'examples', 'ops', 'bench']
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    )
    .filter((name) => name.endsWith('.md')),
]

/** The anchors that the usual code hosts give to the headings of a document. */
function anchorsOf(path: string): readonly string[] {
  const prose = readFileSync(path, 'utf8').replaceAll(/^```[^]*?^```/gm, '')
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test('links between documents lead to a file and a heading that exist', () => {
  const broken: string[] = []
  for (const document of documents) {
    for (const [, target = ''] of readFileSync(document, 'utf8').matchAll(LINK)) {
      if (/^[a-z]+:/.test(target)) continue
      const [file = '', anchor] = target.split('#')
      const path = file === '' ? document : normalize(join(dirname(document), file))
      const isThere = existsSync(path) && (anchor === undefined || anchorsOf(path).includes(anchor))
      if (!isThere) broken.push(`${document} → ${target}`)
    }
  }
  assert.deepEqual(broken, [])
})

test('documents in the package link only to files in the package', () => {
  const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: readonly string[] }
  // npm always packs these.
  const packed = [...files, 'README.md', 'LICENSE', 'package.json']
  const isPacked = (path: string): boolean =>
    packed.some((each) => path === each || path.startsWith(`${each}/`))
  const dead = documents.filter(isPacked).flatMap((document) =>
    [...readFileSync(document, 'utf8').matchAll(LINK)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target) && !target.startsWith('#'))
      .filter(
        (target) =>
          !isPacked(normalize(join(dirname(document), target.split('#')[0] ?? '')).replace(/\/$/, '')),
      )
      .map((target) => `${document} → ${target}`),
  )
  assert.deepEqual(dead, [])
})

test('scripts that documents name are there', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object }
  const missing = documents.flatMap((document) =>
    [...readFileSync(document, 'utf8').matchAll(/npm run ([a-z:-]*[a-z])/g)]
      .map(([, name = '']) => name)
      .filter((name) => !Object.hasOwn(scripts, name))
      .map((name) => `${document}: npm run ${name}`),
  )
  assert.deepEqual(missing, [])
})

test('decisions have one template and are in the index', () => {
  const index = readFileSync('docs/decisions/README.md', 'utf8')
  const names = readdirSync('docs/decisions').filter((name) => /^\d/.test(name))
  assert.ok(names.length <= 25)
  for (const name of names) {
    const text = readFileSync(join('docs/decisions', name), 'utf8')
    const title = /^# \d+\. (.+)\n/.exec(text)?.[1] ?? ''
    assert.ok(index.includes(`[${title}](${name})`), `${name} is not in the index under its title`)
    const parts = [...text.matchAll(/^\*\*(\w+)\*\*/gm)].map(([, part]) => part).join(' ')
    assert.match(parts, /^Status Date Context Decision Consequences( Figures)?$/, name)
  }
})

test('docs/api.md lists every error code with its status', () => {
  const page = readFileSync('docs/api.md', 'utf8')
  const rows = page.split('\n').filter((line) => line.startsWith('| '))
  for (const [code, status] of Object.entries(STATUS)) {
    const isInTable = rows.some((row) => row.startsWith(`| ${status} `) && row.includes(`\`${code}\``))
    // Codes of one adapter are in the text: `BODY_NOT_FHIR` and `FHIR_VERSION` (400).
    const isInText = new RegExp(`.${code}.[^().]*[(]${status}[)]`).test(page)
    assert.ok(isInTable || isInText, `${code} (${status})`)
  }
})
