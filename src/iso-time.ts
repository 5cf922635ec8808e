/** A time as text, as ISO 8601 has it: what `Date` prints, at a fraction of its cost where many times are close together. */

const SECOND_MS = 1_000
let second = -1
let printed = ''

export function isoTime(at: number): string {
  const current = Math.floor(at / SECOND_MS)
  if (current !== second) {
    second = current
    // Up to and with the point before the milliseconds.
    printed = new Date(current * SECOND_MS).toISOString().slice(0, -4)
  }
  const rest = Math.floor(at) - current * SECOND_MS
  return `${printed}${rest < 100 ? (rest < 10 ? '00' : '0') : ''}${rest}Z`
}
