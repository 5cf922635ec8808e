/** What a row of the chain says about the counts of outcomes. */
import { OutcomeSums, type SumLine } from '../outcomes/outcome-sums.ts'
import { contentOf } from './audit-row.ts'

const SAYS_SUMS = '"sums":['

/** The sums of outcomes that the row with this text says were counted. */
export function sumsIn(text: string): OutcomeSums {
  // Few rows have any; the others are not parsed.
  if (!text.includes(SAYS_SUMS)) return new OutcomeSums()
  const { sums } = (contentOf({ content: text }) ?? {}) as { readonly sums?: readonly SumLine[] }
  return new OutcomeSums(Array.isArray(sums) ? sums : [])
}
