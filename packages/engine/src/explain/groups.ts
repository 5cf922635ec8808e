/** Groups of missing inputs that share terms, so that their values must be tried together. */
import type { Slots } from '../plan/slots.ts'
import type { Term } from '../score/model.ts'

/** Inputs whose terms cannot be looked at one by one, and the terms that they enter. */
export interface Group {
  readonly slots: readonly number[]
  readonly terms: readonly Term[]
}

export function groupsOf(terms: readonly Term[], unknown: readonly number[]): readonly Group[] {
  const groups: { slots: Set<number>; terms: Term[] }[] = []
  for (const term of terms) {
    const shared = term.slots.filter((slot) => unknown.includes(slot))
    if (shared.length === 0) continue
    const joined = { slots: new Set(shared), terms: [term] }
    for (const group of groups.filter(({ slots }) => shared.some((slot) => slots.has(slot)))) {
      for (const slot of group.slots) joined.slots.add(slot)
      joined.terms.unshift(...group.terms)
      groups.splice(groups.indexOf(group), 1)
    }
    groups.push(joined)
  }
  // An input that no term reads changes nothing.
  return groups.map(({ slots, terms: own }) => ({ slots: [...slots], terms: own }))
}

/** Compiles what an input brings into a term that it shares with others: its factor, whether it counts, or both, added to a list. */
export function shareOf(term: Term, slot: number): (slots: Slots, vector: number[]) => void {
  const pieces = (term.factors ?? [term]).filter(({ slots }) => slots.includes(slot))
  const own = pieces.filter(({ slots }) => slots.length === 1)
  const limits = pieces
    .filter(({ slots }) => slots.length > 1)
    .map((piece) => piece.limits?.get(slot) ?? Infinity)
  return ({ values, states }, vector) => {
    let factor = 1
    for (const piece of own) factor *= piece.points(values, states)
    if (own.length > 0) vector.push(factor)
    for (const limit of limits) vector.push(Number((values[slot] as number) < limit))
  }
}

/** Whether this is the only input of the group that the term reads. */
export function isAlone(term: Term, slot: number, { slots }: Group): boolean {
  return term.slots.includes(slot) && !term.slots.some((other) => other !== slot && slots.includes(other))
}
