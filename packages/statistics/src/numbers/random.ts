/** Random numbers from a seed, so that a run can be repeated to the last digit. */

export const DEFAULT_SEED = 20260101

/** Numbers from 0 up to 1, by the generator sfc32, with its state filled from the seed. */
export function randomFrom(seed: number): () => number {
  let a = 0x9e3779b9 ^ seed
  let b = 0x243f6a88 ^ Math.imul(seed, 0x85ebca6b)
  let c = 0xb7e15162 ^ Math.imul(seed, 0xc2b2ae35)
  let counter = 1
  const next = (): number => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    return (sum >>> 0) / 4294967296
  }
  // The first numbers still show the seed.
  for (let step = 0; step < 20; step++) next()
  return next
}
