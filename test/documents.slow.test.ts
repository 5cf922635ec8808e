/** Every command in the documents is executed as a reader would, and what it prints is compared with what they show. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Block, blocksOf } from './support/document-blocks.ts'
import { endGroups, spawnGroup } from './support/own-group.ts'

/** What a checkout has and a reader's commands may use. */
const CHECKOUT = [
  'bin',
  'clients',
  'clinical',
  'docs',
  'examples',
  'node_modules',
  'package.json',
  'packages',
  'scripts',
  'README.md',
]
const DEFAULT_ORIGIN = 'http://127.0.0.1:8080'

const documents = [
  'README.md',
  ...readdirSync('.').filter((name) => /^[A-Z-]+\.md$/.test(name) && name !== 'README.md'),
]
for (const entry of readdirSync('docs', { recursive: true, encoding: 'utf8' })) {
  if (entry.endsWith('.md')) documents.push(join('docs', entry))
}

const folder = mkdtempSync(join(tmpdir(), 'documents-'))
let origin = ''
const keys = new Map<string, string>()

before(async () => {
  for (const name of CHECKOUT) symlinkSync(join(process.cwd(), name), join(folder, name))
  // Exactly what the README says to type, on a free port.
  const server = spawnGroup('npm', ['start', '--silent'], {
    cwd: folder,
    env: { ...process.env, PORT: '0' },
  })
  let text = ''
  for await (const chunk of server.stdout) {
    text += String(chunk)
    origin = /"origin":"([^"]+)"/.exec(text)?.[1] ?? ''
    // The key comes last: the service is ready, and its store can be used.
    if (origin !== '' && /prk_[0-9A-Za-z_]+/.test(text)) return
  }
  throw new Error('npm start ended before it listened')
})

after(() => {
  endGroups()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
})

for (const document of documents) {
  const blocks = blocksOf(readFileSync(document, 'utf8'))
  const commands = blocks.filter(({ language }) => language === 'sh')
  for (const block of commands) {
    test(`${document}:${block.line} is run, or says why not`, () => {
      assert.ok(block.isRun || block.apart !== undefined, 'write ```sh run, or ```sh apart=reason')
    })
  }
  for (const [index, block] of blocks.entries()) {
    if (!block.isRun) continue
    const answer = blocks[index + 1]
    test(`${document}:${block.line} prints what the document shows`, () => {
      const printed = runBlock(block, keyOf(document))
      if (answer?.isAnswer === true) assert.equal(printed.trimEnd(), expectedOf(answer))
    })
  }
}

/** JSON is shown spread out for people; the service prints it compact, with its keys in the same order. */
function expectedOf({ language, text }: Block): string {
  return language === 'json' ? JSON.stringify(JSON.parse(text)) : text.trimEnd()
}

/** Each document is a sender of its own: what the examples of others have sent says nothing about its feed. */
function keyOf(document: string): string {
  const known = keys.get(document)
  if (known !== undefined) return known
  const args = ['patient-risk', 'keys', 'create', '--name', document, '--admin', '--outcomes', '--json']
  const printed = execFileSync('npx', args, { cwd: folder, encoding: 'utf8' })
  const { key } = JSON.parse(printed) as { readonly key: string }
  keys.set(document, key)
  return key
}

function runBlock(block: Block, key: string): string {
  const script = block.text.replaceAll(DEFAULT_ORIGIN, origin)
  const env = { ...process.env, KEY: key }
  const output = execFileSync('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: folder,
    env,
    encoding: 'utf8',
    timeout: 600_000,
  })
  return output.replaceAll(origin, DEFAULT_ORIGIN).replaceAll('\r', '')
}
