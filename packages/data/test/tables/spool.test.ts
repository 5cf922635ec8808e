/** Copies of compressed files are removed, whatever ends the process. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'

const source = (path: string): string => new URL(`../../../${path}.ts`, import.meta.url).href

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'spool-'))
  folders.push(folder)
  return folder
}

for (const signal of ['SIGINT', 'SIGTERM', undefined] as const) {
  test(`no copy is left after ${signal ?? 'the work is done'}`, () => {
    const folder = newFolder()
    const path = join(newFolder(), 'a.parquet.gz')
    writeFileSync(path, gzipSync('patients'))
    const end = signal === undefined ? 'folder.remove()' : `process.kill(process.pid, '${signal}')`
    const script = `
      import { readFileSync } from 'node:fs'
      import { spoolToTempFile } from ${JSON.stringify(source('data/src/tables/open-input'))}
      import { makeTempFolder } from ${JSON.stringify(source('runtime/src/files/temp-folder'))}
      const folder = makeTempFolder()
      const copy = await spoolToTempFile(${JSON.stringify(path)}, folder.path, 'a')
      if (readFileSync(copy, 'utf8') !== 'patients') process.exit(3)
      ${end}
      await new Promise((resolve) => setTimeout(resolve, ${signal === undefined ? 0 : 60_000}))`
    const ended = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...process.env, TMPDIR: folder },
    })
    assert.equal(ended.signal, signal ?? null)
    assert.equal(ended.status, signal === undefined ? 0 : null)
    assert.deepEqual(readdirSync(folder), [])
  })
}
