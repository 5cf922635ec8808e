/** Answers that wait for callers who do not read them are bounded in total: the slowest reader is disconnected. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { after, test } from 'node:test'
import { Pace } from '../../../src/http/connection/pace.ts'
import { DEFAULT_SERVER_SETTINGS } from '@patient-risk/catalog/config'

const { times, load, pace: bodies } = DEFAULT_SERVER_SETTINGS
let now = 0
const pace = new Pace({ times, pace: bodies, load: { ...load, answerBytes: 100 } }, () => now)
after(() => pace.stop())

/** A response whose caller reads nothing; its socket notes that it was ended. */
function unread(ended: string[], name: string): ServerResponse {
  const response = new EventEmitter()
  const socket = {
    destroy() {
      ended.push(name)
      response.emit('close')
    },
  }
  return Object.assign(response, { socket }) as unknown as ServerResponse
}

test('beyond the bound the reader that has kept its answer waiting longest is ended, and no more than needed', () => {
  const ended: string[] = []
  pace.watchAnswer(unread(ended, 'first'), 60)
  now += 1_000
  pace.watchAnswer(unread(ended, 'second'), 40)
  assert.deepEqual(ended, [], 'the bound is not exceeded')
  now += 1_000
  pace.watchAnswer(unread(ended, 'third'), 30)
  assert.deepEqual(ended, ['first'])
  now += 5_000
  pace.watchAnswer(unread(ended, 'fourth'), 90)
  assert.deepEqual(ended, ['first', 'second', 'third'])
})

test('a reader that is not slow is not ended, and an answer that was read counts no more', () => {
  const ended: string[] = []
  now += 60_000
  const quick = unread(ended, 'quick')
  pace.watchAnswer(quick, 90)
  pace.watchAnswer(unread(ended, 'other'), 90)
  assert.deepEqual(
    ended.filter((name) => name === 'quick' || name === 'other'),
    [],
  )
  quick.emit('close')
  now += 2_000
  pace.watchAnswer(unread(ended, 'late'), 5)
  assert.deepEqual(ended, [])
})
