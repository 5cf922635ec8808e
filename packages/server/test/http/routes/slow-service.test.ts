/** A service that takes longer than a connection may stand still has not been left by its caller: the answer says what was done. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import { DEFAULT_SERVER_SETTINGS } from '@patient-risk/catalog/config'
import { ScoringDispatcher } from '../../../src/http/scoring/scoring-dispatcher.ts'
import { SCORE, serve } from '../../../../../test/support/serve.ts'
import { readmission } from './outcomes-set-up.ts'

const STALL_MS = 200
const WORK_MS = 3 * STALL_MS

class Slow extends ScoringDispatcher {
  override async answer(...given: Parameters<ScoringDispatcher['answer']>): ReturnType<typeof this.answered> {
    await sleep(WORK_MS)
    return this.answered(...given)
  }

  override async run<Answer>(...given: Parameters<ScoringDispatcher['run']>): Promise<Answer> {
    await sleep(WORK_MS)
    return super.run(...given) as Promise<Answer>
  }

  private async answered(
    ...given: Parameters<ScoringDispatcher['answer']>
  ): Promise<Awaited<ReturnType<ScoringDispatcher['answer']>>> {
    return super.answer(...given)
  }
}

test('a body that waits for a worker, and outcomes that are read, are answered however long that takes', async () => {
  const { times } = DEFAULT_SERVER_SETTINGS
  const served = await serve({
    deployments: [readmission],
    isOverSocket: true,
    service: {
      dispatcher: new Slow(),
      settings: { ...DEFAULT_SERVER_SETTINGS, times: { ...times, stallMs: STALL_MS } },
    },
  })
  try {
    const key = await served.makeKey({ scopes: ['*', 'admin'] })
    const headers = { authorization: `Bearer ${key}` }
    const scored = await served.post([{ idx: 1 }], { headers })
    assert.equal(scored.status, 200)
    const digest = scored.headers['risk-deployment-digest']
    const outcome = { idx: 1, risk: 0.2294, outcome: true, digest, scored: '2026-02' }
    const counted = await served.post([outcome], { path: `${SCORE}/outcomes`, headers })
    assert.equal(counted.status, 200)
    assert.match(counted.text, /"counted":true/)
  } finally {
    await served.close()
  }
})
