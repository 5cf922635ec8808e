/** Contract, section 7: a body that stops half-way. */
import assert from 'node:assert/strict'
import { DEFAULT_SERVER_SETTINGS } from '@patient-risk/catalog/config'
import { SCORE, serve } from '../../../../test/support/serve.ts'
import { contract } from '../../../../test/support/clauses.ts'

contract('7.408', 'a body that stops half-way, and nothing of it in the log', async () => {
  const times = { ...DEFAULT_SERVER_SETTINGS.times, requestMs: 1_000, stallMs: 600_000 }
  const served = await serve({ service: { settings: { ...DEFAULT_SERVER_SETTINGS, times } } })
  try {
    const head = `POST ${SCORE} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n`
    const answer = await served.raw(`${head}Authorization: Bearer ${served.key}\r\n\r\n[{"name":"CANARY-half`)
    assert.equal(answer.status, 408)
    assert.equal((answer.json() as { code: string }).code, 'BODY_TOO_SLOW')
    assert.ok(!served.logText().includes('CANARY'))
    assert.equal((await served.post('[]')).status, 200)
  } finally {
    await served.close()
  }
})
