/** The total that the given items of a scale make, by the rule that the service states for it. */
import type { Coding, Scale, SumTotal, Total } from '../../shapes/fields.ts'

export interface ScaleSum {
  /** Undefined while a rule needs more than was given. */
  readonly total: number | undefined
  readonly given: number
  readonly needed: number
  readonly isComplete: boolean
}

const UNITS = 1_000

/** The form in which the scale is written: the chosen one, else the default. */
export function formOf(scale: Scale, chosen: string | undefined): Coding | undefined {
  const name = chosen ?? scale.codings?.default ?? undefined
  return name === undefined ? undefined : scale.codings?.forms[name]
}

export function sumScale(
  scale: Scale,
  form: Coding | undefined,
  items: readonly string[],
  valueOf: (item: string) => number | undefined,
): ScaleSum {
  const rule: Total = form?.total ?? scale.total
  const given = items.filter((item) => valueOf(item) !== undefined).length
  if (rule === 'sum') return addUp({ kind: 'sum' }, items, valueOf, given)
  switch (rule.kind) {
    case 'sum':
      return addUp(rule, items, valueOf, given)
    case 'grade': {
      const total = valueOf(rule.item)
      return { total, given, needed: 1, isComplete: total !== undefined }
    }
    case 'rule': {
      const isComplete = given === items.length
      const holds = (item: string): boolean => (valueOf(item) ?? 0) > 0
      const isMet = rule.all.every((part) => (typeof part === 'string' ? holds(part) : part.any.some(holds)))
      return { total: isComplete ? Number(isMet) : undefined, given, needed: items.length, isComplete }
    }
  }
}

function addUp(
  rule: SumTotal,
  items: readonly string[],
  valueOf: (item: string) => number | undefined,
  given: number,
): ScaleSum {
  const groups = rule.alternatives ?? []
  const spare = groups.reduce((count, group) => count + group.length - 1, 0)
  let total = 0
  for (const item of items) {
    const severe = rule.hierarchies?.find(({ replaces }) => replaces === item)?.severe
    if (severe !== undefined && (valueOf(severe) ?? 0) > 0) continue
    total += valueOf(item) ?? 0
  }
  const single = items.filter((item) => !groups.some((group) => group.includes(item)))
  const isComplete =
    single.every((item) => valueOf(item) !== undefined) &&
    groups.every((group) => group.filter((item) => valueOf(item) !== undefined).length === 1)
  const needed = items.length - spare
  return { total: given === 0 ? undefined : Math.round(total * UNITS) / UNITS, given, needed, isComplete }
}

/** What a total is called, in the first scheme of bands that is confirmed. */
export function bandOf(scale: Scale, total: number): string | undefined {
  const schemes = (scale.bands ?? []).filter(({ of }) => of === undefined || of === 'total')
  const scheme = schemes.find(({ verified }) => verified) ?? schemes[0]
  return scheme?.bands.find(({ from, to }) => total >= from && total <= to)?.label
}
