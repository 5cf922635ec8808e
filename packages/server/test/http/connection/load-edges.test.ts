/** What all requests together may hold: the last that is permitted, and the first that is refused. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_SERVER_SETTINGS } from '@patient-risk/catalog/config'
import { type Held, Load } from '../../../src/http/connection/load.ts'

const MOST = 100
const FIRST = 60

/** What is held by one request after another that has 60 bytes, or by as many requests. */
const BOUNDS: Readonly<Record<'bytes' | 'adapterBytes' | 'requests', (load: Load, size: number) => void>> = {
  bytes: (load, size) => {
    load.hold(request(), FIRST)
    load.hold(request(), size - FIRST)
  },
  adapterBytes: (load, size) => {
    load.hold({ ...request(), isForAdapter: true }, FIRST)
    load.hold({ ...request(), isForAdapter: true }, size - FIRST)
  },
  requests: (load, size) => {
    for (let begun = 0; begun < size; begun++) load.begin(request())
  },
}

function request(): Held {
  return { heldBytes: 0, isInProgress: false }
}

for (const [name, fill] of Object.entries(BOUNDS)) {
  for (const [size, isPermitted] of [
    [MOST - 1, true],
    [MOST, true],
    [MOST + 1, false],
  ] as const) {
    test(`${size} ${name} of ${MOST} are ${isPermitted ? 'permitted' : 'refused'}`, () => {
      const load = new Load({ ...DEFAULT_SERVER_SETTINGS.load, [name]: MOST })
      try {
        if (isPermitted) fill(load, size)
        else assert.throws(() => fill(load, size), { code: 'OVERLOADED' })
        assert.equal(load.shed.bytes + load.shed.requests, isPermitted ? 0 : 1)
      } finally {
        load.stop()
      }
    })
  }
}

test('what is given back may be held again, all of it', () => {
  const load = new Load({ ...DEFAULT_SERVER_SETTINGS.load, bytes: MOST, requests: 1 })
  const first = request()
  for (let turn = 0; turn < 3; turn++) {
    load.begin(first)
    load.hold(first, MOST)
    load.release(first)
  }
  assert.deepEqual([load.bytes, load.requests], [0, 0])
  load.stop()
})
