/** A cell as a number, where it is one and nothing else. */

/** A number whose decimals follow a comma. */
export const WITH_COMMA = /^\s*[+-]?\d+,\d+\s*$/

/** JavaScript reads 0x10 as sixteen; a table does not mean it so. */
const OTHER_BASE = /^\s*[+-]?0[xob]/i

export function toNumber(cell: string | number | boolean): number | undefined {
  if (typeof cell === 'number') return Number.isFinite(cell) ? cell : undefined
  if (typeof cell === 'boolean' || cell.trim() === '') return undefined
  const value = Number(cell)
  if (!Number.isFinite(value)) return undefined
  const first = cell.charCodeAt(0)
  // Only a text that starts with 0, a sign or a space can be written in another base.
  return first > 48 && first < 58 ? value : OTHER_BASE.test(cell) ? undefined : value
}
