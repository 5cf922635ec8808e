/** Rows of version 0.1.0, which had a table row for each row of the chain, become groups. Content and hash of every row stay as they are. */
import { type StoredGroup, commonPart, packTexts, timeOf } from './audit-group.ts'
import { textOf } from './audit-row.ts'

export interface OldRow {
  readonly seq: number
  readonly at: number
  readonly content: string
  readonly hash: string
}

const ROWS_OF_A_GROUP = 200
export const OLD_ROWS_OF_A_PAGE = 10 * ROWS_OF_A_GROUP

/** Rows in the order of their numbers; a group has no gap. */
export function* groupOldRows(rows: Iterable<OldRow>): Generator<readonly OldRow[]> {
  let group: OldRow[] = []
  for (const row of rows) {
    const last = group[group.length - 1]
    if (last !== undefined && (group.length === ROWS_OF_A_GROUP || row.seq !== last.seq + 1)) {
      yield group
      group = []
    }
    group.push(row)
  }
  if (group.length > 0) yield group
}

/** The stored hash is kept, not computed again: a row that was changed before still shows when the chain is verified. */
export function packOldRows(rows: readonly OldRow[], dictionary: string): StoredGroup {
  const last = rows.at(-1)
  return {
    lastSeq: last?.seq ?? 0,
    count: rows.length,
    // What the row says is covered by its hash, the column beside it was not.
    lastAt: Math.max(...rows.map(({ content, at }) => timeOf(content) || at)),
    packed: packTexts(rows.map(({ content }) => textOf(content)).join('\n'), dictionary),
    hash: Buffer.from(last?.hash ?? '', 'base64'),
  }
}

interface Context {
  readonly id: number
  readonly text: string
}

/** Dictionaries, numbered from 1 in the order in which they are first needed. */
export class OldContexts {
  private readonly known = new Map<string, Context>()

  get count(): number {
    return this.known.size
  }

  of([first]: readonly OldRow[]): { readonly context: Context; readonly isNew: boolean } {
    const text = textOf(first?.content ?? '')
    const common = commonPart(text)
    const known = this.known.get(common)
    if (known !== undefined) return { context: known, isNew: false }
    const context = { id: this.count + 1, text }
    this.known.set(common, context)
    return { context, isNew: true }
  }
}
