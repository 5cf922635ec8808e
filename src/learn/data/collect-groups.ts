/** Notes for every row which part of the data it belongs to: its sex, its age band, and what named columns say. */
import type { Domain } from '../../definition/domain.ts'
import type { Plan } from '../../engine/plan.ts'
import type { Slots } from '../../engine/read/slots.ts'
import type { Grouping } from '../figures/subgroups.ts'
import { DataError } from './data-error.ts'

const AGE_ENDS = [18, 50, 65, 75, 85]
const MOST_LEVELS = 60
const MISSING = 'missing'

export class GroupCollector {
  private readonly sex: Levels
  private readonly age: Levels
  private readonly named: readonly Levels[]

  constructor(columns: readonly string[]) {
    this.sex = new Levels('sex')
    this.age = new Levels('age')
    this.named = columns.map((column) => new Levels(column))
  }

  add(plan: Plan, slots: Slots, groups: readonly string[]): void {
    this.sex.add(codeIn(plan, slots, 'sex'))
    this.age.add(ageBand(plan, slots))
    this.named.forEach((levels, index) => levels.add(groups[index] ?? MISSING))
  }

  /** The groupings that part the rows at all, each with its levels in order. */
  groupings(): readonly Grouping[] {
    return [this.sex, this.age, ...this.named]
      .map((levels) => levels.grouping())
      .filter(({ levels }) => levels.length > 1)
  }
}

class Levels {
  private readonly by: string
  private readonly numbers = new Map<string, number>()
  /** Empty as long as every row has the same level: then there is nothing to part. */
  private readonly rows: number[] = []
  private count = 0

  constructor(by: string) {
    this.by = by
  }

  add(level: string): void {
    let number = this.numbers.get(level)
    if (number === undefined) {
      number = this.numbers.size
      if (number === MOST_LEVELS) {
        throw new DataError([
          `column ${this.by}: has more than ${MOST_LEVELS} values, too many to give figures for each`,
        ])
      }
      this.numbers.set(level, number)
      if (number === 1) for (let row = 0; row < this.count; row++) this.rows.push(0)
    }
    this.count++
    if (this.numbers.size > 1) this.rows.push(number)
  }

  grouping(): Grouping {
    const levels = [...this.numbers.keys()].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    const places = [...this.numbers.keys()].map((level) => levels.indexOf(level))
    return { by: this.by, levels, levelOf: Uint16Array.from(this.rows, (number) => places[number] as number) }
  }
}

function codeIn(plan: Plan, slots: Slots, field: string): string {
  const slot = plan.slotByName.get(field) ?? -1
  const domain: Domain | undefined = plan.fields[slot]?.domain
  if (domain?.kind !== 'code' || !slots.isUsable(slot)) return MISSING
  const number = slots.valueOf(slot)
  for (const [code, own] of domain.codes) if (own === number) return code
  return MISSING
}

function ageBand(plan: Plan, slots: Slots): string {
  const slot = plan.slotByName.get('age') ?? -1
  if (!slots.isUsable(slot)) return MISSING
  const age = slots.valueOf(slot)
  const band = AGE_ENDS.findLastIndex((end) => age >= end)
  if (band < 0) return `under ${AGE_ENDS[0] ?? ''}`
  const next = AGE_ENDS[band + 1]
  return next === undefined ? `${AGE_ENDS[band] ?? ''} and over` : `${AGE_ENDS[band] ?? ''} to ${next - 1}`
}
