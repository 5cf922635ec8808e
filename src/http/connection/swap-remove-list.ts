/**
 * Things that come and go with every request, in no order. Not a Map or a Set: whenever one of those tidies up, it leaves
 * its old table behind with a pointer to the new one. Once such a table is old, it keeps all that ever stood in the
 * tables after it until the whole heap is searched; with requests in them, that doubled the cost of a request.
 */
export interface Member {
  /** Where it stands in its crowd; -1 outside. */
  place: number
}

export class Crowd<T extends Member> {
  private readonly members: T[] = []

  get size(): number {
    return this.members.length
  }

  add(member: T): void {
    member.place = this.members.length
    this.members.push(member)
  }

  /** The last one takes the place of the one that leaves. Who is not there leaves nothing behind. */
  remove(member: T): void {
    const { place } = member
    if (place < 0) return
    const last = this.members.pop() as T
    if (last !== member) {
      this.members[place] = last
      last.place = place
    }
    member.place = -1
  }

  /** Looks at each of them, which may leave meanwhile. */
  forEach(look: (member: T) => void): void {
    // From the end: whoever takes a place that became free was looked at before.
    for (let place = this.members.length - 1; place >= 0; place--) {
      const member = this.members[place]
      if (member !== undefined) look(member)
    }
  }
}
