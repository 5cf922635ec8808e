/** A file is read in the same parts each time, however its bytes come. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { evenParts, openInput } from '../../src/tables/open-input.ts'

const folder = mkdtempSync(join(tmpdir(), 'even-parts-'))
after(() => rmSync(folder, { recursive: true }))

test('the parts are even, and hold every byte in its turn', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 20 })),
      fc.integer({ min: 1, max: 9 }),
      async (given, size) => {
        const all = Buffer.concat(given)
        const parts: Buffer[] = []
        for await (const part of evenParts(stream(given), size)) {
          parts.push(Buffer.from(part))
          // The code that takes a part may overwrite it.
          part.fill(0)
        }
        assert.deepEqual(Buffer.concat(parts), all)
        assert.ok(parts.slice(0, -1).every((part) => part.length === size))
        assert.equal(parts.length, Math.ceil(all.length / size))
      },
    ),
  )
})

async function* stream(parts: readonly Uint8Array[]): AsyncGenerator<Buffer> {
  for (const part of parts) yield await Promise.resolve(Buffer.from(part))
}

for (const name of ['plain.ndjson', 'packed.ndjson.gz']) {
  test(`${name} comes in the same parts to a slow reader as to a quick one`, async () => {
    const path = join(folder, name)
    const text = Buffer.from('{"idx":1,"age":84,"sex":"F"}\n'.repeat(150_000))
    writeFileSync(path, name.endsWith('.gz') ? gzipSync(text) : text)
    const quick = await sizes(path, 0)
    assert.equal(
      quick.reduce((sum, size) => sum + size, 0),
      text.length,
    )
    assert.deepEqual(await sizes(path, 20), quick)
  })
}

async function sizes(path: string, pauseMs: number): Promise<readonly number[]> {
  const found: number[] = []
  for await (const { length } of openInput(path).bytes) {
    found.push(length)
    if (pauseMs > 0) await wait(pauseMs)
  }
  return found
}
