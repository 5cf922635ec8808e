/** How records are divided among requests. Records with the same idx must not be scored apart. */
interface Indexed {
  readonly idx: number
}

export interface Limits {
  readonly records: number
  readonly bytes: number
}

/** The text of one request. `positions` says where its records stand in the list. */
export interface Batch {
  readonly body: string
  readonly positions: readonly number[]
}

/**
 * Cuts records into bodies within the limits of a deployment.
 * Records with the same idx stay in one body: the service refuses all of them, and could not if it saw them apart.
 * A caller who matches answers by idx must never get another patient's number.
 */
export function batchesOf(records: readonly Indexed[], limits: Limits): readonly Batch[] {
  const encoder = new TextEncoder()
  const batches: { readonly texts: string[]; readonly positions: number[]; bytes: number }[] = []
  for (const group of groupsOf(records)) {
    if (group.length > limits.records) {
      throw new RangeError(
        `${group.length} records share one idx, and a request may hold ${limits.records}. Give each record an idx of its own.`,
      )
    }
    const texts = group.map((position) => JSON.stringify(records[position]))
    const bytes = encoder.encode(texts.join()).length + 1
    const last = batches[batches.length - 1]
    const fits =
      last !== undefined &&
      last.positions.length + group.length <= limits.records &&
      last.bytes + bytes <= limits.bytes
    const batch = fits ? last : { texts: [], positions: [], bytes: 2 }
    if (!fits) batches.push(batch)
    batch.texts.push(...texts)
    batch.positions.push(...group)
    batch.bytes += bytes
  }
  return batches.map(({ texts, positions }) => ({ body: `[${texts.join()}]`, positions }))
}

/** The positions of the records with the same idx. A record without an idx is a group of its own. */
function groupsOf(records: readonly Indexed[]): Iterable<readonly number[]> {
  const groups = new Map<number | string, number[]>()
  records.forEach((record, position) => {
    const name = idxOf(record) ?? `no idx ${position}`
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [position])
    else group.push(position)
  })
  return groups.values()
}

/** Cuts records of a source into parts of some length. Throws when an idx comes again after its part was handed out. */
export async function* partsOf<R extends Indexed>(
  records: Iterable<R> | AsyncIterable<R>,
  length: number,
): AsyncGenerator<readonly R[]> {
  const sent = new Set<number | undefined>()
  let part: R[] = []
  for await (const record of records) {
    const idx = idxOf(record)
    if (idx !== undefined && sent.has(idx))
      throw new RangeError(`idx ${idx} is repeated. Withdraw every result with that idx.`)
    part.push(record)
    if (part.length < length) continue
    yield part
    for (const each of part) sent.add(idxOf(each))
    part = []
  }
  if (part.length > 0) yield part
}

/** Programs in JavaScript may pass anything; the service answers what is wrong with it. */
function idxOf(record: unknown): number | undefined {
  return (record as { readonly idx?: number } | null | undefined)?.idx ?? undefined
}
