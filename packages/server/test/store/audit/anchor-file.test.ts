/** The file in which the newest head is kept: what is written, what is left alone, and what is told of a failure. */
import assert from 'node:assert/strict'
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { AnchorFile } from '../../../src/store/audit/anchor-file.ts'
import { StoreError } from '@patient-risk/runtime'
import type { Ends } from '../../../src/store/audit/anchor.ts'
import { UNHURRIED } from './unhurried.ts'

const folder = mkdtempSync(join(tmpdir(), 'patient-risk-anchors-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const path = join(folder, 'anchors')
beforeEach(() => rmSync(path, { recursive: true, force: true }))

const LINE_BYTES = 256
const endsAt = (seq: number, storeId = 'a'): Ends => ({
  storeId,
  head: { seq, hash: `hash of ${seq}` },
  start: { seq: 0, hash: '' },
})
const seqs = (): readonly number[] => new AnchorFile(path, UNHURRIED).read().map(({ seq }) => seq)
/** Another process writes, which remembers nothing. */
async function note(seq: number, storeId?: string): Promise<readonly number[]> {
  await new AnchorFile(path, UNHURRIED).write(endsAt(seq, storeId))
  return seqs()
}

test('there is a line a day, and the line of today is written again', async () => {
  const older = { at: '2026-01-02T03:04:05.000Z', head: 1, rows: 1, digest: 'one' }
  writeFileSync(path, `${JSON.stringify(older)}\n`)
  assert.deepEqual(await note(7), [1, 7])
  assert.deepEqual(await note(1_000_000), [1, 1_000_000])
  assert.deepEqual(await note(9), [1, 1_000_000], 'a process that has seen less does not set it back')
  assert.deepEqual(await note(3, 'b'), [1, 1_000_000, 3], 'another store gets a line of its own')
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text.replace(/"at":"\d{4}(?=[^\n]*"store":"b")/, '"at":"2025'))
  assert.deepEqual(await note(4, 'b'), [1, 1_000_000, 3, 4], 'another day gets a line of its own')
  assert.deepEqual(await note(5, 'b'), [1, 1_000_000, 3, 5])
  const lines = readFileSync(path, 'utf8').split(/(?<=\n)/)
  assert.deepEqual(
    lines
      .slice(1)
      .filter((line) => line !== '\n')
      .map((line) => line.length),
    [LINE_BYTES, LINE_BYTES, LINE_BYTES],
  )
})

test('a new file has one line, which everybody may read', async () => {
  assert.deepEqual(seqs(), [])
  assert.deepEqual(await note(7), [7])
  assert.deepEqual(await note(8), [8])
  assert.equal(statSync(path).size, LINE_BYTES)
  assert.equal(statSync(path).mode & 0o133, 0, 'only its owner may write it')
  const { at, ...anchor } = JSON.parse(readFileSync(path, 'utf8')) as { readonly at: string }
  assert.deepEqual(anchor, { head: 8, rows: 8, digest: 'hash of 8', store: 'a' })
  assert.ok(Math.abs(Date.now() - Date.parse(at)) < 60_000)
  assert.deepEqual(new AnchorFile(path, UNHURRIED).read(), [{ seq: 8, hash: 'hash of 8', at, store: 'a' }])
})

test('the same head at another hash is not written again: the first one counts', async () => {
  await note(7)
  await new AnchorFile(path, UNHURRIED).write({ ...endsAt(7), head: { seq: 7, hash: 'another' } })
  assert.equal(new AnchorFile(path, UNHURRIED).read()[0]?.hash, 'hash of 7')
})

test('lines that were not written to their end are left out, and the next line is not joined to them', async () => {
  for (const left of [1, 26, LINE_BYTES - 1, LINE_BYTES + 26]) {
    rmSync(path, { force: true })
    await note(6, 'x')
    await note(7, 'b')
    writeFileSync(path, readFileSync(path).subarray(0, left))
    const before = left < LINE_BYTES - 1 ? [] : [6]
    assert.deepEqual(seqs(), before, `${left} bytes`)
    assert.deepEqual(await note(8, 'b'), [...before, 8], `${left} bytes`)
    assert.deepEqual(await note(9, 'b'), [...before, 9], `${left} bytes`)
  }
})

test('a process writes a head once, and one head at a time', async () => {
  const file = new AnchorFile(path, UNHURRIED)
  await file.write(endsAt(1))
  await Promise.all([file.write(endsAt(2)), file.write(endsAt(3))])
  assert.deepEqual(seqs(), [2])
  await file.write(endsAt(3))
  assert.deepEqual(seqs(), [3])
  rmSync(path)
  await file.write(endsAt(3))
  assert.deepEqual(seqs(), [], 'it is written already')
  await file.write(endsAt(4))
  assert.deepEqual(seqs(), [4])
})

test('a failure is told once until a write succeeds, and the service goes on', async () => {
  const failures: string[] = []
  const inner = join(folder, 'folder')
  const file = new AnchorFile(join(inner, 'anchors'), UNHURRIED)
  await file.write(endsAt(1))
  file.onFailure = (code) => failures.push(code)
  await file.write(endsAt(1))
  assert.equal(failures.length, 0, 'the first one was told to nobody')
  mkdirSync(inner)
  await file.write(endsAt(1))
  assert.equal(file.read()[0]?.seq, 1, 'what failed is tried again')
  rmSync(inner, { recursive: true })
  for (const seq of [2, 3]) await file.write(endsAt(seq))
  assert.deepEqual(failures, ['ENOENT'])
  rmSync(path, { recursive: true, force: true })
  mkdirSync(path)
  const other = new AnchorFile(path, UNHURRIED)
  other.onFailure = (code) => failures.push(code)
  await other.write(endsAt(1))
  assert.deepEqual(failures, ['ENOENT', 'EISDIR'])
  assert.throws(
    () => other.read(),
    (error) =>
      error instanceof StoreError && error.message === `the anchor file ${path} cannot be read (EISDIR)`,
  )
})

test('no file stays open', async () => {
  const file = new AnchorFile(path, UNHURRIED)
  const opened = (): number => readdirSync('/proc/self/fd').length
  await file.write(endsAt(1))
  const before = opened()
  for (let seq = 2; seq < 12; seq++) await file.write(endsAt(seq))
  assert.ok(opened() < before + 5)
})

test('a file whose store was given up is put aside, and an empty one takes its place', async () => {
  await note(7)
  const text = readFileSync(path, 'utf8')
  const umask = process.umask(0)
  const aside = new AnchorFile(path, UNHURRIED).putAside(new Date('2026-11-17T20:53:18.123Z'))
  process.umask(umask)
  assert.equal(aside, `${path}.until-2026-11-17T205318.123Z`)
  assert.equal(readFileSync(aside, 'utf8'), text)
  assert.equal(readFileSync(path, 'utf8'), '')
  assert.equal(statSync(path).mode & 0o133, 0, 'only its owner may write it')
  assert.deepEqual([statSync(path).uid, statSync(path).gid], [statSync(aside).uid, statSync(aside).gid])
  assert.deepEqual(await note(2), [2])
})

test('where root puts the file aside, it stays that of the service', async () => {
  if (process.getuid?.() !== 0) return
  await note(7)
  chownSync(path, 65_534, 65_533)
  new AnchorFile(path, UNHURRIED).putAside(new Date())
  assert.deepEqual([statSync(path).uid, statSync(path).gid], [65_534, 65_533])
})
