/** Cuts records into bodies within the limits of a deployment. */

interface Batch {
  readonly body: Uint8Array<ArrayBuffer>
  /** Where the records of the body stand in the whole list. */
  readonly positions: readonly number[]
}

export interface Limits {
  readonly records: number
  readonly bytes: number
}

/**
 * Records with the same idx stay in one body: the service refuses all of them, and could not if it saw them apart.
 * A caller who matches answers by idx must never get another patient's number.
 */
export function batchesOf(records: readonly { readonly idx: number }[], limits: Limits): readonly Batch[] {
  const encoder = new TextEncoder()
  const batches: Batch[] = []
  let texts: string[] = []
  let positions: number[] = []
  let bytes = 2
  const close = (): void => {
    if (positions.length > 0) batches.push({ body: encoder.encode(`[${texts.join()}]`), positions })
    texts = []
    positions = []
    bytes = 2
  }
  for (const group of groupsByIdx(records)) {
    const written = group.map((position) => JSON.stringify(records[position]))
    const size = written.reduce((sum, text) => sum + encoder.encode(text).length + 1, 0)
    if (group.length > limits.records) {
      throw new RangeError(
        `${group.length} records share one idx, and a request may hold ${limits.records}. Give each record an idx of its own.`,
      )
    }
    if (positions.length + group.length > limits.records || bytes + size > limits.bytes) close()
    texts.push(...written)
    positions.push(...group)
    bytes += size
  }
  close()
  return batches
}

function groupsByIdx(records: readonly { readonly idx: number }[]): Iterable<readonly number[]> {
  const groups = new Map<unknown, number[]>()
  records.forEach((record, position) => {
    // What has no idx belongs to nobody else.
    const key: unknown = (record as { readonly idx?: number } | null)?.idx ?? `no idx ${position}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [position])
    else group.push(position)
  })
  return groups.values()
}
