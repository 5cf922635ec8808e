/** Which records of a request share their idx. A caller that matches by idx must never get another patient's number. */

const NO_POSITIONS: ReadonlySet<number> = new Set()

/**
 * The positions of all records whose idx another record has too. NaN stands for a record without a usable idx.
 * `claimed` are the numbers of records that write their idx twice: nobody knows which of them is meant.
 */
export function duplicatesAmong(
  idxs: readonly number[] | Float64Array,
  claimed: ReadonlySet<number>,
): ReadonlySet<number> {
  if (claimed.size === 0 && isAscending(idxs)) return NO_POSITIONS
  const first = new Map<number, number>()
  const found = new Set<number>()
  for (let position = 0; position < idxs.length; position++) {
    const idx = idxs[position] as number
    if (Number.isNaN(idx)) continue
    if (claimed.has(idx)) found.add(position)
    const other = first.get(idx)
    if (other === undefined) first.set(idx, position)
    else found.add(other).add(position)
  }
  return found
}

/** Most callers number their records upwards; then no two can be the same. */
function isAscending(idxs: Iterable<number>): boolean {
  let last = -Infinity
  for (const idx of idxs) {
    if (idx <= last) return false
    if (!Number.isNaN(idx)) last = idx
  }
  return true
}
