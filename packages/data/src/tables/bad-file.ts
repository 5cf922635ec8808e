/** A file that is not valid in its format. The message says where, and quotes nothing of the file. */
export class BadFile extends Error {
  override readonly name = 'BadFile'
  readonly line: number | undefined

  constructor(message: string, place?: { readonly line: number; readonly column?: number }) {
    const column = place?.column === undefined ? '' : `, column ${place.column}`
    super(place === undefined ? message : `line ${place.line}${column}: ${message}`)
    this.line = place?.line
  }
}
