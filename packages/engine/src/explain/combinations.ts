/** The points that the inputs of a group can add up to, each with values that give them. Of two with the same points the first is kept. */
export interface Combination {
  readonly points: number
  readonly values: readonly (readonly [slot: number, value: number])[]
}

/** The first combination of the lowest points, and of the highest. */
export class EndCombinations {
  private lowest: Combination | undefined
  private highest: Combination | undefined

  /** Points that are no number are never an end. */
  needs(points: number): boolean {
    if (this.lowest === undefined || this.highest === undefined) return !Number.isNaN(points)
    return points < this.lowest.points || points > this.highest.points
  }

  add(found: Combination): void {
    if (this.lowest === undefined || found.points < this.lowest.points) this.lowest = found
    if (this.highest === undefined || found.points > this.highest.points) this.highest = found
  }

  ascending(): readonly Combination[] {
    return [this.lowest ?? [], this.highest ?? []].flat()
  }
}

/** A combination for each different number of points. */
export class AllCombinations {
  private readonly found = new Map<number, Combination>()

  needs(points: number): boolean {
    return !this.found.has(points)
  }

  add(found: Combination): void {
    this.found.set(found.points, found)
  }

  ascending(): readonly Combination[] {
    return [...this.found.values()].sort((a, b) => a.points - b.points)
  }
}
