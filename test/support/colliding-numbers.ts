/** Whole numbers that share a place in a Map of V8, whose hash of numbers is public and the same in every process. */

/** So many numbers, downwards from the highest, with the same `bits` lowest bits of their hash. */
export function collidingNumbers(count: number, bits: number): readonly number[] {
  const mask = 2 ** bits - 1
  const found: number[] = []
  for (let number = 2 ** 30 - 1; found.length < count; number--)
    if ((hashOf(number) & mask) === 0) found.push(number)
  return found
}

function hashOf(number: number): number {
  let hash = (~number + (number << 15)) | 0
  hash ^= hash >>> 12
  hash = (hash + (hash << 2)) | 0
  hash ^= hash >>> 4
  hash = Math.imul(hash, 2_057)
  return (hash ^ (hash >>> 16)) & 0x3fffffff
}
