/** `patient-risk audit`: lists and exports the rows of the audit chain, and prints its head. */
import { anchorOf } from '../../store/audit/anchor.ts'
import type { AuditRow } from '../../store/audit/audit-row.ts'
import { type AuditFacts, factsOf } from '../../store/audit/audit-facts.ts'
import { visitRows } from '../../store/audit/usage.ts'
import { readParts } from '../../store/audit/dropped-parts.ts'
import { parseLifetime } from '../../store/keys/key-rules.ts'
import { allRows } from '../../store/audit/verify-chain.ts'
import { type Command, Refusal, UsageError, parseArguments, printOutput, textTable } from '../command.ts'
import { withAudit } from '../with-store.ts'

const DEFAULT_LAST = 50
const PART_HEADS = ['MONTH', 'FIRST', 'LAST', 'ROWS', 'ANCHOR']
const PAGE = 1_000

export const auditList: Command = {
  help: `Usage: patient-risk audit list [--last 50] [--since 24h] [--key ID] [--deployment NAME] [--status 200] [--json]

Options:
  --last N           how many rows (default ${DEFAULT_LAST})
  --since TIME       only rows of the last 30m, 12h, 7d
  --key ID           only answers to this key
  --deployment NAME  only answers of this deployment
  --status N         only answers with this status
  --json             whole rows as NDJSON`,
  run(args) {
    const { values } = parseArguments(args, {
      texts: ['last', 'since', 'key', 'deployment', 'status'],
      flags: ['json'],
    })
    const last = Number(values.last ?? DEFAULT_LAST)
    if (!Number.isInteger(last) || last < 1) throw new UsageError('--last takes a whole number from 1.')
    const sinceMs = values.since === undefined ? undefined : parseLifetime(values.since)
    if (values.since !== undefined && sinceMs === undefined) {
      throw new UsageError('--since takes a number and a unit: 30m, 12h or 7d.')
    }
    const { key, deployment, status } = values
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
      await visitRows(store, { most: PAGE, newestFirst: true, from }, add, Infinity)
      return printOutput(values.json === true ? shown.map(exportLine).join('') : table(shown))
    })
  },
}

export const auditAnchor: Command = {
  help: `Usage: patient-risk audit anchor >> FILE

Prints the head of the chain, the number of rows and the digest of the head as one line of JSON. Keep the file where
nobody who may write to the store can write. "audit verify --anchor FILE" then finds a chain that was cut or rewritten.`,
  run(args) {
    parseArguments(args, {})
    return withAudit(async ({ store }) =>
      printOutput(`${JSON.stringify(anchorOf(await store.chainEnds()))}\n`),
    )
  },
}

export const auditParts: Command = {
  help: `Usage: patient-risk audit parts

Lists what retention has removed, by month: the rows, and the anchor of the last one. With it an exported file that
holds those rows can still be verified: "audit verify --file EXPORT --anchor ANCHOR".`,
  run(args) {
    parseArguments(args, {})
    return withAudit(async ({ store }) => {
      const parts = readParts((await store.chainEnds()).parts)
      const cells = parts.map(({ month, seq, hash }, place) => {
        const first = (parts[place - 1]?.seq ?? 0) + 1
        return [
          month === '' ? 'unknown' : month,
          ...[first, seq, seq - first + 1].map(String),
          `${seq}:${hash}`,
        ]
      })
      return printOutput(textTable(PART_HEADS, cells))
    })
  },
}

export const auditExport: Command = {
  help: `Usage: patient-risk audit export > FILE

Writes every row, oldest first, with its hash. "audit verify --file FILE" verifies the file without the store.

Exit codes: 0 all rows were written, 1 some are damaged and were left out, 2 wrong usage.`,
  run(args) {
    parseArguments(args, {})
    return withAudit(async ({ store }) => {
      let damaged = 0
      for await (const row of allRows(store)) {
        if (row.content === '') damaged++
        else if (!process.stdout.write(exportLine(row))) {
          await new Promise((resolve) => process.stdout.once('drain', resolve))
        }
      }
      if (damaged === 0) return 0
      throw new Refusal(`${damaged} rows are damaged and were left out. Run: patient-risk audit verify`)
    })
  },
}

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
