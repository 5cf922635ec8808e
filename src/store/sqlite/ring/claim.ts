/** The rings of a store: files beside it, one for each process that serves from it. */

/** Room for some ten thousand rows: more than come in while SQLite is busy elsewhere. */
export const RING_BYTES = 8_388_608
/** More processes than these on one store would gain nothing. */
export const MOST_RINGS = 64

/** What a process must know of a ring to write to it. */
export interface RingClaim {
  readonly path: string
  /** Tells the frames of this claim from all that were ever written there before. */
  readonly era: bigint
}

export function ringPath(storePath: string, slot: number): string {
  return `${storePath}-ring-${slot}`
}
