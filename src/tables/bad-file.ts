/** A file that cannot be read as what it is said to be. The message says where, and quotes nothing of the file. */

export class BadFile extends Error {
  override readonly name = 'BadFile'

  constructor(message: string, place?: { readonly line: number; readonly column?: number }) {
    super(place === undefined ? message : `${placeText(place)}: ${message}`)
  }
}

function placeText({ line, column }: { readonly line: number; readonly column?: number }): string {
  return column === undefined ? `line ${line}` : `line ${line}, column ${column}`
}
