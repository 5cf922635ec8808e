/** `patient-risk audit`: lists and exports the rows of the audit chain, and prints its head. */
import {
  anchorOf,
  type AuditRow,
  type AuditFacts,
  factsOf,
  visitRows,
  readParts,
  parseLifetime,
  allRows,
} from '@patient-risk/server/store'
import { Refusal, UsageError, command, printOutput, textTable } from '../command.ts'
import { withAudit } from '../with-store.ts'

const DEFAULT_LAST = 50
const PART_HEADS = ['MONTH', 'FIRST', 'LAST', 'ROWS', 'ANCHOR']
const PAGE = 1_000

export const auditList = command(
  { texts: ['last', 'since', 'key', 'deployment', 'status'], flags: ['json'] },
  ({ since, key, deployment, status, json, ...values }) => {
    const last = Number(values.last ?? DEFAULT_LAST)
    if (!Number.isInteger(last) || last < 1) throw new UsageError('--last takes a whole number from 1.')
    const sinceMs = since === undefined ? undefined : parseLifetime(since)
    if (since !== undefined && sinceMs === undefined) {
      throw new UsageError('--since takes a number and a unit: 30m, 12h or 7d.')
    }
    const isWanted = (row: AuditFacts): boolean =>
      (key === undefined || row.keyId === key) &&
      (deployment === undefined || row.deployment === deployment) &&
      (status === undefined || String(row.status) === status)
    return withAudit(async ({ store }) => {
      const shown: AuditRow[] = []
      const from = sinceMs === undefined ? undefined : Date.now() - sinceMs
      const add = (row: AuditRow): boolean => {
        if (isWanted(factsOf(row))) shown.push(row)
        return shown.length < last
      }
      await visitRows(store, { most: PAGE, newestFirst: true, from }, add)
      return printOutput(json === true ? shown.map(exportLine).join('') : table(shown))
    })
  },
)

export const auditAnchor = command({}, () =>
  withAudit(async ({ store }) => printOutput(`${JSON.stringify(anchorOf(await store.chainEnds()))}\n`)),
)

export const auditParts = command({}, () =>
  withAudit(async ({ store }) => {
    const parts = readParts((await store.chainEnds()).parts)
    const cells = parts.map(({ month, seq, hash }, place) => {
      const first = (parts[place - 1]?.seq ?? 0) + 1
      return [month || 'unknown', ...[first, seq, seq - first + 1].map(String), `${seq}:${hash}`]
    })
    return printOutput(textTable(PART_HEADS, cells))
  }),
)

export const auditExport = command({}, () =>
  withAudit(async ({ store }) => {
    let damaged = 0
    for await (const row of allRows(store)) {
      if (row.content === '') damaged++
      else if (!process.stdout.write(exportLine(row))) {
        await new Promise((resolve) => process.stdout.once('drain', resolve))
      }
    }
    if (damaged === 0) return 0
    throw new Refusal(`${damaged} rows are damaged and were left out. Run: patient-risk audit verify`)
  }),
)

/** The row as it is hashed, with its hash as the last member. */
function exportLine({ content, hash }: AuditRow): string {
  return `${content.slice(0, -1)},"hash":"${hash}"}\n`
}

const HEADS = 'NUMBER TIME CALL DEPLOYMENT KEY STATUS RECORDS SCORED ENDED REQUEST'.split(' ')
const FACTS = 'seq at call deployment keyId status records scored ended requestId'.split(' ')

function table(rows: readonly AuditRow[]): string {
  const facts = rows.map((row) => factsOf(row) as unknown as Readonly<Record<string, string | number>>)
  const cells = facts.map((row) => FACTS.map((name) => String(row[name] ?? '')))
  return textTable(HEADS, cells)
}
