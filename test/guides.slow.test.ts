/** The guides are followed as a new user would: an empty folder, the files and commands of the page, a scored request. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { type Block, blocksOf } from './support/document-blocks.ts'
import { endGroups, spawnGroup } from './support/own-group.ts'

const DEFAULT_ORIGIN = 'http://127.0.0.1:8080'
const folders: string[] = []
after(() => {
  endGroups()
  for (const folder of folders)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
})

/** An empty folder in which the package is installed, and nothing else. */
function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'guide-'))
  folders.push(folder)
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
  symlinkSync(process.cwd(), join(folder, 'node_modules/patient-risk'))
  symlinkSync(join(process.cwd(), 'bin/patient-risk.js'), join(folder, 'node_modules/.bin/patient-risk'))
  return folder
}

interface GuideRun {
  readonly folder: string
  origin: string
  key: string
}

for (const guide of ['docs/add-a-scale.md', 'docs/add-a-model.md', 'docs/import-a-model.md']) {
  test(`${guide} leads from an empty folder to a scored request`, async () => {
    const guideRun: GuideRun = { folder: emptyFolder(), origin: '', key: '' }
    const blocks = blocksOf(readFileSync(guide, 'utf8'))
    let scored = 0
    for (const [index, block] of blocks.entries()) {
      const place = `${guide}:${block.line}`
      if (block.file !== undefined) {
        mkdirSync(dirname(join(guideRun.folder, block.file)), { recursive: true })
        writeFileSync(join(guideRun.folder, block.file), block.text)
      } else if (block.language !== 'sh') continue
      else if (block.text.endsWith('patient-risk serve')) await startServer(block, guideRun)
      else {
        const printed = runBlock(block, guideRun)
        const answer = blocks[index + 1]
        if (answer?.isAnswer !== true) assert.match(printed, /\S/, place)
        else if (answer.language === 'json') {
          assert.equal(printed.trimEnd(), JSON.stringify(JSON.parse(answer.text)), place)
          if (/"risk":(0\.\d+|"Yes")/.test(printed)) scored++
        } else assert.equal(printed.trimEnd(), answer.text.trimEnd(), place)
      }
    }
    assert.ok(scored > 0, 'no request was scored')
  })
}

function runBlock(block: Block, { folder, origin, key }: GuideRun): string {
  const script = block.text.replaceAll(DEFAULT_ORIGIN, origin)
  const env = { ...process.env, KEY: key }
  return execFileSync('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: folder,
    env,
    encoding: 'utf8',
    timeout: 600_000,
  })
}

/** Starts what the page says, on a free port, and waits for its address and its first key. */
async function startServer(block: Block, guideRun: GuideRun): Promise<void> {
  const env = { ...process.env, PORT: '0' }
  const server = spawnGroup('bash', ['-c', block.text], { cwd: guideRun.folder, env })
  let text = ''
  for await (const chunk of server.stdout) {
    text += String(chunk)
    guideRun.origin = /"origin":"([^"]+)"/.exec(text)?.[1] ?? ''
    guideRun.key = /prk_[0-9A-Za-z_]+/.exec(text)?.[0] ?? ''
    if (guideRun.origin !== '' && guideRun.key !== '') return
  }
  assert.fail(`the service ended before it listened: ${text}`)
}
