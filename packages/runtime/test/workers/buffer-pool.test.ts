/** Buffers that are used again: nobody gets one that another still has. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BufferPool, POOLED_BYTES } from '../../src/workers/buffer-pool.ts'

test('a returned buffer is used again, and is not shared before that', () => {
  const pool = new BufferPool()
  const first = pool.take(100_000)
  const second = pool.take(100_000)
  assert.notEqual(first.buffer, second.buffer)
  assert.equal(first.length, 100_000)
  const { buffer } = first
  pool.give(buffer)
  const again = pool.take(80_000)
  assert.equal(again.buffer, buffer)
  assert.equal(again.length, 80_000)
  assert.notEqual(pool.take(80_000).buffer, buffer)
})

test('a transferred, a small and a foreign buffer are not taken back', () => {
  const pool = new BufferPool()
  const moved = pool.take(100_000)
  const { buffer } = moved
  structuredClone(moved, { transfer: [buffer] })
  pool.give(buffer)
  assert.equal(pool.take(100_000).buffer.byteLength, 131_072)
  const small = pool.take(10)
  pool.give(small.buffer)
  assert.notEqual(pool.take(10).buffer, small.buffer)
  const strange = new ArrayBuffer(100_000)
  pool.give(strange)
  assert.notEqual(pool.take(100_000).buffer, strange)
})

test('shared memory is never taken back, and no buffer twice', () => {
  const pool = new BufferPool()
  // Node's own, of which small buffers are cut; here it has the very size of one of ours.
  const shared = Buffer.allocUnsafe(10).buffer
  pool.give(shared)
  assert.notEqual(pool.take(shared.byteLength).buffer, shared)
  const { buffer } = pool.take(100_000)
  pool.give(buffer)
  pool.give(buffer)
  assert.notEqual(pool.take(100_000).buffer, pool.take(100_000).buffer)
})

test('a buffer that a thread has transferred is used again', () => {
  const pool = new BufferPool()
  const view = pool.take(100_000)
  const back = structuredClone(view, { transfer: [view.buffer] })
  pool.adopt(back.buffer)
  assert.equal(pool.take(100_000).buffer, back.buffer)
})

test('unused buffers are bounded', () => {
  const pool = new BufferPool()
  const many = Array.from({ length: 8 }, () => pool.take(16 * 1024 * 1024))
  for (const { buffer } of many) pool.give(buffer)
  const known = new Set(many.map(({ buffer }) => buffer))
  const again = Array.from({ length: 8 }, () => pool.take(16 * 1024 * 1024))
  assert.equal(again.filter(({ buffer }) => known.has(buffer)).length, 4)
})

for (const [size, isPooled] of [
  [POOLED_BYTES - 1, false],
  [POOLED_BYTES, true],
  [POOLED_BYTES + 1, true],
] as const) {
  test(`a buffer of ${size} bytes is ${isPooled ? '' : 'not '}used again`, () => {
    const pool = new BufferPool()
    const { buffer } = pool.take(size)
    pool.give(buffer)
    assert.equal(pool.take(size).buffer === buffer, isPooled)
  })
}

const MOST_BYTES = 64 * 1024 * 1024
for (const [kept, isKept] of [
  [MOST_BYTES / 2, true],
  [MOST_BYTES, false],
] as const) {
  test(`beside ${kept} unused bytes another buffer is ${isKept ? '' : 'not '}kept`, () => {
    const pool = new BufferPool()
    pool.adopt(new ArrayBuffer(kept))
    const more = new ArrayBuffer(POOLED_BYTES)
    pool.adopt(more)
    assert.equal(pool.take(POOLED_BYTES).buffer === more, isKept)
    // Room again, once the first one is in use.
    pool.take(kept)
    const again = new ArrayBuffer(POOLED_BYTES)
    pool.adopt(again)
    assert.equal(pool.take(POOLED_BYTES).buffer, again)
  })
}
