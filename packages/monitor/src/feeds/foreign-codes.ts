/** Codes of another convention: which there are, and what a sender's other codes may mean once it has shown one. */
import { type Plan, codedValues } from 'patient-risk-engine'
import { type CodeConvention, CONVENTIONS } from './knowledge/conventions.ts'

/** A foreign code that was seen, by the name of its field. */
export type SeenCode = readonly [field: string, code: string]

interface KnownCodes {
  readonly field: string
  /** The conventions that have each code which the field does not permit. */
  readonly foreign: ReadonlyMap<string, readonly CodeConvention[]>
}

export class ForeignCodes {
  private readonly bySlot = new Map<number, KnownCodes>()

  constructor({ fields, slotByName }: Plan) {
    for (const [field, conventions] of Object.entries(CONVENTIONS)) {
      const slot = slotByName.get(field)
      const plan = slot === undefined ? undefined : fields[slot]
      if (slot === undefined || plan === undefined) continue
      const permitted = new Set([...(codedValues(plan.ownDomain)?.keys() ?? [])].map(String))
      const foreign = new Map<string, CodeConvention[]>()
      for (const convention of conventions)
        for (const code of Object.keys(convention.codes))
          if (!permitted.has(code)) foreign.set(code, [...(foreign.get(code) ?? []), convention])
      this.bySlot.set(slot, { field, foreign })
    }
  }

  /** The foreign code that a refused value is; undefined for every other value, which must not be kept. */
  find(slot: number, given: number | string): SeenCode | undefined {
    const known = this.bySlot.get(slot)
    const code = String(given)
    return known?.foreign.has(code) === true ? [known.field, code] : undefined
  }
}

/**
 * The codes of a field that mean one thing by one convention and another by the next: `M`. Once a sender has shown a code of another
 * convention, nobody can tell which of them it writes.
 */
export function ambiguousCodes(field: string): readonly string[] {
  const meanings = new Map<string, Set<string | null>>()
  for (const { codes } of CONVENTIONS[field] ?? []) {
    for (const [code, meaning] of Object.entries(codes))
      meanings.set(code, (meanings.get(code) ?? new Set()).add(meaning))
  }
  const isOurs = (code: string): boolean =>
    (CONVENTIONS[field] ?? []).some(({ codes }) => Object.values(codes).includes(code))
  return [...meanings].filter(([code, all]) => all.size > 1 && isOurs(code)).map(([code]) => code)
}
