/** A file that cannot be read as what it is said to be. The message says where, and quotes nothing of the file. */

/** The faults of CSV files that `test/csv-cases.json` names. */
export type FileFault = 'empty' | 'unclosedQuote' | 'textAfterQuote' | 'repeatedColumn' | 'other'

export class BadFile extends Error {
  override readonly name = 'BadFile'
  readonly line: number | undefined
  readonly fault: FileFault

  constructor(
    message: string,
    place?: { readonly line: number; readonly column?: number },
    fault: FileFault = 'other',
  ) {
    const column = place?.column === undefined ? '' : `, column ${place.column}`
    super(place === undefined ? message : `line ${place.line}${column}: ${message}`)
    this.line = place?.line
    this.fault = fault
  }
}
