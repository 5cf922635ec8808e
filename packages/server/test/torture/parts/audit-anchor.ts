/** Anchors: somebody with every right on the database cuts the tail of the chain, or rewrites all of it with valid hashes. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { makeEntry } from '../../../src/store/audit/audit-row.ts'
import { endOf, linkGroup } from '../../../src/store/audit/write-groups.ts'
import { type Part, type Trial, type Verdict, randomFrom } from '../part.ts'
import { auditCommand, auditTrial, scoreOnce } from '../audit-trial.ts'

const ROUNDS = 20
const ROWS = 12

export const part: Part = {
  name: 'audit-anchor',
  promise:
    '20 cut tails and 20 rewritten chains that verify alone calls intact are found by an anchor kept elsewhere',
  defect: 'anchors are not compared',
  shortScale: 0.05,
  run,
}

const FORGERIES = [
  ['a cut tail', cutTail],
  ['a rewritten chain', rewriteChain],
] as const

async function run({ seed, scale, planted }: Trial): Promise<Verdict> {
  const random = randomFrom(seed)
  const rounds = Math.ceil(ROUNDS * scale)
  const plant = planted ? 'ignored-anchors' : undefined
  const faults: string[] = []
  for (let round = 0; round < rounds; round++) {
    for (const [what, forge] of FORGERIES) {
      // Each with a service of its own: it takes no row once its chain was forged.
      const verdict = await auditTrial({ plant }, async (trial) => {
        const { service, key, database, dataDir, verify } = trial
        const anchors = join(dataDir, 'anchors')
        // Each anchor puts waiting rows into the chain, so that there are two groups at least, and a tail to cut.
        for (let half = 0; half < 2; half++) {
          for (let row = 0; row < ROWS / 2; row++) await scoreOnce(service.origin, key)
          writeFileSync(anchors, (await auditCommand(dataDir, ['anchor'])).output)
        }
        if ((await verify('--anchor', anchors)) !== '') trial.faults.push('an intact chain was refused')
        database.exec('BEGIN IMMEDIATE')
        forge(database, random)
        database.exec('COMMIT')
        // Skilled: without an anchor nothing shows, which is why there are anchors. Those of the service go with its data folder.
        await service.kill()
        rmSync(join(dataDir, 'anchor-sqlite.ndjson'), { force: true })
        if ((await verify()) !== '') trial.faults.push(`${what} was not forged well enough for this trial`)
        if (!(await verify('--anchor', anchors)).includes('anchor'))
          trial.faults.push(`${what} was not found`)
        return {}
      })
      faults.push(...verdict.faults.map((fault) => `round ${round}: ${fault}`))
    }
  }
  return { faults, figures: { forged: 2 * rounds } }
}

/** Removes some of the newest rows, and sets the recorded head to what is left. */
function cutTail(database: DatabaseSync, random: () => number): void {
  const groups = database
    .prepare('SELECT last_seq AS "lastSeq", hash FROM audit ORDER BY last_seq DESC')
    .all()
  const keep = groups[1 + Math.floor(random() * Math.min(5, groups.length - 1))] as unknown as {
    readonly lastSeq: number
    readonly hash: Uint8Array
  }
  const { seq, hash } = endOf(keep)
  database.prepare('DELETE FROM audit WHERE last_seq > ?').run(seq)
  database.prepare('UPDATE chain SET head_seq = ?, head_hash = ?').run(seq, hash)
}

/** Replaces every row by a forged one, chained with valid hashes, beyond the number of the anchor. */
function rewriteChain(database: DatabaseSync): void {
  const { head_seq: rows } = database.prepare('SELECT head_seq FROM chain').get() as {
    readonly head_seq: number
  }
  const entries = Array.from({ length: rows + 10 }, (_each, place) =>
    makeEntry({ at: 1_000 + place, requestId: `forged-${place}`, keyId: null, call: 'score', status: 200 }),
  )
  const texts = entries.map(({ text }) => text)
  const dictionary = texts[0] ?? ''
  const { lastSeq, count, lastAt, packed, hash } = linkGroup({ seq: 0, hash: '' }, texts, dictionary)
  database.exec('DELETE FROM audit')
  const { lastInsertRowid: context } = database
    .prepare('INSERT INTO audit_context (text) VALUES (?)')
    .run(dictionary)
  database
    .prepare('INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?)')
    .run(lastSeq, count, lastAt, context, packed, hash)
  const end = endOf({ lastSeq, hash })
  database
    .prepare("UPDATE chain SET start_seq = 0, start_hash = '', head_seq = ?, head_hash = ?")
    .run(end.seq, end.hash)
}
