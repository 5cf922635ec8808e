/**
 * An unordered list whose entries come and go with every request, each in constant time. A Map or a Set would keep the old
 * hash tables alive until the next full garbage collection, which doubled the cost of a request when they held requests.
 */
export interface ListEntry {
  /** Its place in the list; -1 outside. */
  place: number
}

export class SwapRemoveList<T extends ListEntry> {
  private readonly entries: T[] = []

  get size(): number {
    return this.entries.length
  }

  add(entry: T): void {
    entry.place = this.entries.length
    this.entries.push(entry)
  }

  /** The last entry takes the place of the removed one. Removing an entry that is not in the list does nothing. */
  remove(entry: T): void {
    const { place } = entry
    if (place < 0) return
    const last = this.entries.pop() as T
    if (last !== entry) {
      this.entries[place] = last
      last.place = place
    }
    entry.place = -1
  }

  /** Visits each entry. An entry may be removed during its visit. */
  forEach(visit: (entry: T) => void): void {
    // From the end: the entry that moves into a free place was visited before.
    for (let place = this.entries.length - 1; place >= 0; place--) {
      const entry = this.entries[place]
      if (entry !== undefined) visit(entry)
    }
  }
}
