/** A compiled term: the slots it reads, and the points it adds for the values in them. */
export interface Term {
  readonly kind: string
  readonly label: string
  readonly slots: readonly number[]
  /** The points for usable values. Only called when every slot of the term is usable or assumed. */
  points(values: Float64Array, states: Uint8Array): number
}

/** What a term needs to know of the fields: their slots, and the numbers that stand for their codes. */
export interface FieldNames {
  slotOf(field: string): number
  codesOf(field: string): ReadonlyMap<string, number>
}
