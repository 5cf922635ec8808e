/** Damaged rows: bits of stored audit rows flip, as a bad disk or a careless hand would do it. */
import { type Part, type Trial, type Verdict, randomFrom } from '../part.ts'
import { type AuditTrial, auditCommand, auditTrial, scoreOnce } from '../audit-trial.ts'
import { startOn } from '../store-process.ts'
import { until } from '../../../../../test/support/until.ts'

const FLIPS = 100
const ROWS = 40
const LOGGED_MS = 30_000

export const part: Part = {
  name: 'audit-damage',
  promise:
    '100 flipped bits in stored rows: verify finds each or the rows still say the same; the next start logs the damage',
  defect: 'the hash of a row is not compared with its content',
  shortScale: 0.03,
  run,
}

function run({ seed, scale, planted }: Trial): Promise<Verdict> {
  const random = randomFrom(seed)
  const plant = planted ? 'unchecked-hashes' : undefined
  return auditTrial({ plant }, async (trial) => {
    const { service, key, database, dataDir, verify, faults } = trial
    for (let row = 0; row < ROWS; row++) await scoreOnce(service.origin, key)
    const genuine = await auditCommand(dataDir, ['export'])
    const read = database.prepare('SELECT packed, hash FROM audit WHERE last_seq = ?')
    const seqs = database
      .prepare('SELECT last_seq FROM audit')
      .all()
      .map((row) => Number(row['last_seq']))
    let harmless = 0
    for (let flip = 0; flip < Math.ceil(FLIPS * scale); flip++) {
      const seq = seqs[Math.floor(random() * seqs.length)] ?? 0
      const column = random() < 0.8 ? 'packed' : 'hash'
      const write = database.prepare(`UPDATE audit SET ${column} = ? WHERE last_seq = ?`)
      const whole = read.get(seq)?.[column] as Uint8Array
      const damaged = Uint8Array.from(whole)
      const place = Math.floor(random() * damaged.length)
      damaged[place] = (damaged[place] ?? 0) ^ (1 << Math.floor(random() * 8))
      write.run(damaged, seq)
      if ((await verify()) === '') {
        // The bits that fill up the last byte of a compressed group mean nothing.
        const { output } = await auditCommand(dataDir, ['export'])
        if (output === genuine.output) harmless++
        else faults.push(`a flipped bit of ${column} in row ${seq} was not found`)
      }
      write.run(whole, seq)
    }
    if (!planted && !(await isLoggedAtStart(trial))) faults.push('the next start did not log the damage')
    return { flips: Math.ceil(FLIPS * scale), harmless }
  })
}

/** Whether a start on a damaged newest row says so. */
async function isLoggedAtStart({ service, database, dataDir }: AuditTrial): Promise<boolean> {
  database.exec('UPDATE audit SET packed = zeroblob(40) WHERE last_seq = (SELECT max(last_seq) FROM audit)')
  await service.kill('SIGTERM')
  const next = await startOn({ dataDir })
  try {
    return await until(() => next.printed().includes('"event":"audit-damaged"'), { timeoutMs: LOGGED_MS })
  } catch {
    return false
  } finally {
    await next.kill()
  }
}
