/** Folders: made with their parents, and the temporary ones removed when nobody holds them. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, test } from 'node:test'
import { makeFolders } from '../src/files/make-folders.ts'
import { makeTempFolder } from '../src/files/temp-folder.ts'

const root = mkdtempSync(join(tmpdir(), 'patient-risk-folders-'))
after(() => rmSync(root, { recursive: true }))

test('a folder is made with its parents, and those that were made are named, the innermost first', () => {
  const one = join(root, 'a')
  const two = join(one, 'b')
  const three = join(two, 'c')
  assert.deepEqual(makeFolders(three, 0o700), [three, two, one])
  for (const path of [one, two, three]) assert.equal(statSync(path).mode & 0o777, 0o700)
  assert.deepEqual(makeFolders(three), [], 'it is there')
  const other = join(root, 'a', 'd')
  assert.deepEqual(makeFolders(other), [other], 'its parent is there')
  assert.deepEqual(makeFolders('/'), [])
})

test('where a file is in the way the reason is thrown', () => {
  const file = join(root, 'file')
  writeFileSync(file, '')
  assert.throws(() => makeFolders(file), { code: 'EEXIST' })
  assert.throws(() => makeFolders(join(file, 'below')), { code: 'ENOTDIR' })
})

/** A folder as another process may have left it. */
function leave(name: string): string {
  const path = join(tmpdir(), `patient-risk-scratch-${name}-${process.pid}`)
  mkdirSync(path)
  writeFileSync(join(path, 'data'), 'x')
  return path
}

test('a temporary folder is there until it is removed, and leaves no listeners', () => {
  const before = process.listenerCount('SIGTERM')
  const folder = makeTempFolder()
  assert.match(basename(folder.path), /^patient-risk-scratch-/)
  writeFileSync(join(folder.path, 'data'), 'x')
  assert.equal(process.listenerCount('SIGTERM'), before + 1)
  folder.remove()
  assert.equal(existsSync(folder.path), false)
  assert.equal(process.listenerCount('SIGTERM'), before)
})

test('the next one removes what a killed process has left, and nothing that is held or is no such folder', () => {
  const left = leave('left')
  const other = join(tmpdir(), `patient-risk-other-${process.pid}`)
  mkdirSync(other)
  const link = join(tmpdir(), `patient-risk-scratch-link-${process.pid}`)
  symlinkSync(other, link)
  const held = makeTempFolder()
  const next = makeTempFolder()
  assert.equal(existsSync(left), false)
  for (const path of [held.path, next.path, other, link]) assert.ok(existsSync(path), path)
  held.remove()
  next.remove()
  for (const path of [other, link]) rmSync(path, { recursive: true, force: true })
})
