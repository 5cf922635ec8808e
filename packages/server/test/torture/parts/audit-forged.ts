/** Forged rows: somebody who writes to the database puts rows after the head of the audit chain. */
import { type Part, type Trial, type Verdict, randomFrom } from '../part.ts'
import { auditTrial, isReady, scoreOnce } from '../audit-trial.ts'

const ROUNDS = 20
/** Rows are chained after about 50 ms; a busy machine takes longer. */
const CHAINED_MS = 5_000

export const part: Part = {
  name: 'audit-forged',
  promise:
    '20 forged rows after the head: verify finds each, nothing is scored, not ready, logged, and well once it is gone',
  defect: 'readiness does not look at the chain',
  shortScale: 0.1,
  run,
}

function run({ seed, scale, planted }: Trial): Promise<Verdict> {
  const random = randomFrom(seed)
  const rounds = Math.ceil(ROUNDS * scale)
  return auditTrial({ plant: planted ? 'untested-readiness' : undefined }, async (trial) => {
    const { service, key, database, verify, faults } = trial
    for (let round = 0; round < rounds; round++) {
      const expect = (what: string, holds: boolean): void => {
        if (!holds) faults.push(`round ${round}: ${what}`)
      }
      expect('a genuine answer was refused', (await scoreOnce(service.origin, key)).status === 200)
      // Reading chains the row of that answer.
      expect('verify found faults before anything was forged', (await verify()) === '')
      const distance = 1 + Math.floor(random() * 1_000)
      database.exec(`INSERT INTO audit SELECT last_seq + ${distance}, count, last_at, context, packed, hash
        FROM audit ORDER BY last_seq DESC LIMIT 1`)
      expect('verify called the chain intact', (await verify()).includes('stand after the recorded head'))
      // Rows are durable before they are chained: an answer may still be given in that moment, and none after it.
      const latest = performance.now() + CHAINED_MS
      let answer = await scoreOnce(service.origin, key)
      while (answer.status === 200 && performance.now() < latest)
        answer = await scoreOnce(service.origin, key)
      for (let more = 0; more < 3; more++) {
        const { status, code } = answer
        expect('a score without a row was given', status === 503 && code === 'AUDIT_UNAVAILABLE')
        answer = await scoreOnce(service.origin, key)
      }
      expect('the service said that it is ready', !(await isReady(service.origin)))
      database.exec('DELETE FROM audit WHERE last_seq = (SELECT max(last_seq) FROM audit)')
      expect('not ready once the row was gone', await isReady(service.origin))
      expect('verify found faults once the row was gone', (await verify()) === '')
    }
    if (!/"event":"audit-(failed|not-writable)"/.test(service.printed())) faults.push('nothing was logged')
    return { rounds }
  })
}
