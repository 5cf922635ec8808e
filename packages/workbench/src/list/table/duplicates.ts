/** Rows of a list that have the same identifier: perhaps the same patient twice, perhaps a slip. Each is scored on its own. */
import { identifierOf, type ListState } from '../list-state.ts'

export class Duplicates {
  private readonly rowsByText = new Map<string, number[]>()
  private readonly texts: readonly string[]
  /** How many rows have an identifier that another row has too. */
  readonly rows: number

  constructor(state: Pick<ListState, 'sheet' | 'matches'>) {
    const size = state.sheet?.rows.length ?? 0
    this.texts = Array.from({ length: size }, (_row, row) => identifierOf(state, row).trim())
    this.texts.forEach((text, row) => {
      if (text === '') return
      const rows = this.rowsByText.get(text)
      if (rows === undefined) this.rowsByText.set(text, [row])
      else rows.push(row)
    })
    const repeated = [...this.rowsByText.values()].filter(({ length }) => length > 1)
    this.rows = repeated.reduce((sum, { length }) => sum + length, 0)
  }

  has(row: number): boolean {
    return this.others(row).length > 0
  }

  /** The other rows with the identifier of this one, in the order of the file. */
  others(row: number): readonly number[] {
    const rows = this.rowsByText.get(this.texts[row] ?? '') ?? []
    return rows.length < 2 ? [] : rows.filter((each) => each !== row)
  }
}
