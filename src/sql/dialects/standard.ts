/** Literals as standard SQL writes them. */

export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

export function doubleQuoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A day given as YYYYMMDD. */
export function dateLiteral(day: number): string {
  const digits = String(day).padStart(8, '0')
  return `DATE '${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}'`
}
