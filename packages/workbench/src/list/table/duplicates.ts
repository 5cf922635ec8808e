/** Rows of a list that have the same identifier: perhaps the same patient twice, perhaps a slip. Each is scored on its own. */
export class Duplicates {
  private readonly rowsByText = new Map<string, number[]>()
  /** How many rows have an identifier that another row has too. */
  readonly rows: number

  private readonly texts: readonly string[]

  /** Of the identifiers of all rows; one that is empty is none. */
  constructor(texts: readonly string[]) {
    this.texts = texts
    texts.forEach((text, row) => {
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
