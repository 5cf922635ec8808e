/** Finds where the rows of CSV end, in one part after the other. A line feed inside quotes ends no row. */

const NEWLINE = 0x0a
const RETURN = 0x0d
const QUOTE = 0x22

export class RowEnds {
  /** Rows that are not blank, and lines begun, up to where the search is. */
  rows = 0
  line = 1
  /** Whether the row that is begun has nothing in it yet. */
  isBlank = true
  /** The same behind the last row end, and where in the part that is; −1 for none. */
  end = -1
  endRows = 0
  endLine = 1
  private isQuoted = false

  /** Goes through a part, or only to the end of its first row that is not blank. Returns how far it went. */
  search(part: Uint8Array, from: number, toFirst: boolean): number {
    let { rows, line, isBlank, isQuoted } = this
    let end = -1
    let endRows = this.endRows
    let endLine = this.endLine
    let at = from
    while (at < part.length) {
      const byte = part[at++]
      if (byte === QUOTE) isQuoted = !isQuoted
      if (byte !== NEWLINE) {
        if (byte !== RETURN) isBlank = false
        continue
      }
      line++
      if (isQuoted) continue
      if (!isBlank) rows++
      isBlank = true
      end = at
      endRows = rows
      endLine = line
      if (toFirst && rows > 0) break
    }
    Object.assign(this, { rows, line, isBlank, isQuoted, end, endRows, endLine })
    return at
  }

  /** Forgets the rows behind which the file was cut. */
  cut(): void {
    this.rows -= this.endRows
    this.endRows = 0
    this.end = -1
  }
}
