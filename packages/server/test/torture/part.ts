/** What a part of the torture is: a promise, the way to try it, and a defect that it must catch. */
export interface Trial {
  /** Everything random comes from here, so that a failure can be repeated. */
  readonly seed: number
  /** 1 for the full form; less for the short form. */
  readonly scale: number
  /** Whether the part's own defect is planted; then the promise must be found broken. */
  readonly planted: boolean
  readonly say: (line: string) => void
}

export interface Verdict {
  /** What broke the promise; empty when it held. */
  readonly faults: readonly string[]
  readonly figures: Readonly<Record<string, number | string>>
}

export interface Part {
  readonly name: string
  readonly promise: string
  /** What is planted to see that the part would notice. */
  readonly defect: string
  /** The scale of the short form, which runs with the tests. */
  readonly shortScale: number
  /** It measures times, which other tests beside it would change. */
  readonly isTimed?: boolean
  /** Why it cannot be tried on this machine, if so. */
  readonly missing?: () => string | undefined
  run(trial: Trial): Promise<Verdict>
}

/** Random numbers in [0, 1) that a seed repeats (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The value below which a share of the measurements lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
