/** Links between the documents of the project, and the scripts, files and folders that they name. */
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { PACKED_FILES } from '../scripts/pack.ts'

const LINK = /\]\(([^)\s]+)\)/g
const documents = [
  ...readdirSync('.').filter((name) => name.endsWith('.md')),
  ...['docs', 'clinical', 'examples', 'ops', 'bench', 'clients']
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    )
    .filter((name) => name.endsWith('.md')),
]

/** The anchors that the usual code hosts give to the headings of a document. */
function anchorsOf(path: string): readonly string[] {
  const prose = readFileSync(path, 'utf8').replaceAll(/^```[^]*?^```/gm, '')
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

function isThere(path: string, anchor: string | undefined): boolean {
  return existsSync(path) && (anchor === undefined || anchorsOf(path).includes(anchor))
}

test('links between documents lead to a file and a heading that exist', () => {
  const broken: string[] = []
  for (const document of documents) {
    for (const [, target = ''] of readFileSync(document, 'utf8').matchAll(LINK)) {
      if (/^[a-z]+:/.test(target)) continue
      const [file = '', anchor] = target.split('#')
      const path = file === '' ? document : normalize(join(dirname(document), file))
      if (!isThere(path, anchor)) broken.push(`${document} → ${target}`)
    }
  }
  assert.deepEqual(broken, [])
})

/** Files for operators and code, which name documents in comments and messages. */
const namingFiles = [
  'compose.yaml',
  'Dockerfile',
  ...globSync([
    '{ops,examples,.github,clinical,api}/**/*',
    '{scripts,bin,bench,packages/*/{bin,src}}/**/*.{ts,tsx,js,json}',
  ]),
].filter((path) => statSync(path).isFile() && !path.endsWith('.md') && !path.includes('/built/'))

/** A document of the repository by its path, at the end of any other path; with an anchor if there is one. */
const NAMED_DOCUMENT =
  /(?<![\w.-])((?:(?:docs|clinical|ops|bench|examples|clients)\/(?:[\w@.-]+\/)*[\w-]+|[A-Z]{5,})\.md)(?:#([\w-]+))?/g
/** See "Alarms" in docs/operations.md. */
const NAMED_HEADING = /"([A-Z][\w ,'-]+)" in (docs\/[\w-]+\.md)/g

/** Documents and headings that a text names and that are not there. */
function missingIn(text: string): readonly string[] {
  const documentsNamed = [...text.matchAll(NAMED_DOCUMENT)]
    .filter(([, path = '', anchor]) => !isThere(path, anchor))
    .map(([named]) => named)
  const headingsNamed = [...text.matchAll(NAMED_HEADING)]
    .filter(([, heading = '', path = '']) => !isThere(path, anchorOf(heading)))
    .map(([named]) => named)
  return [...documentsNamed, ...headingsNamed]
}

test('documents and headings that compose, ops and code files name are there', () => {
  assert.ok(namingFiles.length > 300, 'the files were found')
  const broken = namingFiles.flatMap((file) =>
    missingIn(readFileSync(file, 'utf8')).map((named) => `${file}: ${named}`),
  )
  assert.deepEqual(broken, [])
})

const NAMED: readonly (readonly [text: string, missing: readonly string[]])[] = [
  ['# see docs/operations.md#run-in-a-container.', []],
  ['# see docs/operations.md#container.', ['docs/operations.md#container']],
  ['Documentation=file:///opt/patient-risk/current/docs/operations.md', []],
  ['Documentation=file:///opt/patient-risk/current/docs/operation.md', ['docs/operation.md']],
  ['See "Alarms" in docs/operations.md.', []],
  ['See "Alarm" in docs/operations.md.', ['"Alarm" in docs/operations.md']],
  ['--notes-file CHANGELOG.md', []],
  ['--notes-file CHANGES.md', ['CHANGES.md']],
]

for (const [text, missing] of NAMED) {
  test(`in “${text}” ${missing.length === 0 ? 'all is there' : 'something is missing'}`, () => {
    assert.deepEqual(missingIn(text), missing)
  })
}

test('documents in the package link only to files in the package', () => {
  // npm always packs these.
  const packed = [...PACKED_FILES, 'package.json']
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

/** Paths of the repository in code and commands. The built page is not in a fresh checkout. */
const PATH =
  /(?:`|node )((?:src|test|scripts|docs|clinical|bench|workbench(?!\/built)|wasm|ops|examples|clients)\/[\w./@*-]+)/g

test('files and folders that documents name are there', () => {
  const missing = documents.flatMap((document) =>
    [...readFileSync(document, 'utf8').matchAll(PATH)]
      .map(([, path = '']) => path)
      .filter((path) => globSync(path).length === 0)
      .map((path) => `${document}: ${path}`),
  )
  assert.deepEqual(missing, [])
})
