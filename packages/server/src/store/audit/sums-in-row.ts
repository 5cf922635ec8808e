/** What a row of the chain says about the counts of outcomes. */
import { OutcomeSums, type SumLine } from '../outcomes/outcome-sums.ts'
import { contentOf } from './audit-row.ts'

const SAYS_SUMS = '"sums":['

const SAYS_SCORED = '"riskCounts":'
const SCORED =
  /"riskCounts":(\d+),"today":(\d{4})(\d\d)\d\d,.*"deployment":"([a-z][a-z0-9-]*)","deploymentDigest":"([^"]*)"/

/** How many risks the row with this text says were counted. */
export function scoredIn(text: string, sums: OutcomeSums): void {
  if (!text.includes(SAYS_SCORED)) return
  const [, number, year, month, deployment = '', digest = ''] = SCORED.exec(text) ?? []
  if (number !== undefined) sums.add(deployment, digest, `${year}-${month}`, 0, Number(number), 0)
}

/** The sums of outcomes that the row with this text says were counted. */
export function sumsIn(text: string): OutcomeSums {
  // Few rows have any; the others are not parsed.
  if (!text.includes(SAYS_SUMS)) return new OutcomeSums()
  const { sums } = (contentOf({ content: text }) ?? {}) as { readonly sums?: readonly SumLine[] }
  return new OutcomeSums(Array.isArray(sums) ? sums : [])
}
