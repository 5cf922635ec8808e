// Own process: the storage of a browser is put into the global object.
/** The one module that uses the browser's storage never throws, and nobody else uses it. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { beforeEach, mock, test } from 'node:test'
import { runAll } from '../src/run-all.ts'
import { keptText } from '../src/storage.ts'

/** What a storage does when it is asked for, read, written and emptied. */
class TestStorage {
  readonly texts = new Map<string, string>()
  isBlocked = false
  isFull = false

  getItem(name: string): string | null {
    return this.texts.get(name) ?? null
  }

  setItem(name: string, text: string): void {
    if (this.isFull) throw new DOMException('no room', 'QuotaExceededError')
    this.texts.set(name, text)
  }

  removeItem(name: string): void {
    this.texts.delete(name)
  }
}

let storage = new TestStorage()
const AREAS = { tab: 'sessionStorage', device: 'localStorage' } as const
for (const name of Object.values(AREAS)) {
  Object.defineProperty(globalThis, name, {
    get() {
      if (storage.isBlocked) throw new DOMException('denied', 'SecurityError')
      return storage
    },
  })
}

beforeEach(() => {
  storage = new TestStorage()
})

for (const where of ['tab', 'device'] as const) {
  test(`the ${where} keeps a text, gives it back and forgets it`, () => {
    const kept = keptText(where, 'name')
    assert.equal(kept.read(), undefined)
    assert.equal(kept.write('one'), true)
    assert.equal(kept.read(), 'one')
    assert.deepEqual([...storage.texts], [['name', 'one']])
    kept.remove()
    assert.equal(kept.read(), undefined)
  })

  test(`a ${where} whose storage is blocked keeps nothing, and says so without an error`, () => {
    const kept = keptText(where, 'name')
    storage.isBlocked = true
    assert.equal(kept.read(), undefined)
    assert.equal(kept.write('one'), false)
    kept.remove()
  })

  test(`a ${where} whose storage is full keeps no older text in place of the new one`, () => {
    const kept = keptText(where, 'name')
    kept.write('old')
    storage.isFull = true
    assert.equal(kept.write('new'), false)
    assert.equal(kept.read(), undefined)
  })
}

test('no other file of the page uses the storage of the browser', () => {
  const users = globSync('packages/workbench/src/**/*.{ts,tsx}').filter((file) =>
    /\b(sessionStorage|localStorage|indexedDB|cookieStore|document\.cookie)\b/.test(
      readFileSync(file, 'utf8'),
    ),
  )
  assert.deepEqual(users, ['packages/workbench/src/storage.ts'])
})

test('all steps are taken, also after one that fails, and its fault is not hidden', () => {
  const taken: string[] = []
  const reported: (() => void)[] = []
  mock.method(globalThis, 'queueMicrotask', (act: () => void) => reported.push(act))
  runAll([
    () => taken.push('first'),
    () => {
      throw new Error('a part of the page cannot be cleared')
    },
    () => taken.push('last'),
  ])
  mock.restoreAll()
  assert.deepEqual(taken, ['first', 'last'])
  assert.equal(reported.length, 1)
  assert.throws(() => reported[0]?.(), /cannot be cleared/)
})
