/** What is noted of every used row beside its risk: the parts of the data it belongs to, and what sets it apart. */
import type { Plan } from '../engine/plan.ts'
import type { Slots } from '../engine/read/slots.ts'
import { DataError } from './data/data-error.ts'
import type { DataSpecificationType } from './specification.ts'
import type { LabelledRow } from './data/labelled.ts'
import { type Predictions, subset } from './figures/predictions.ts'
import { type Grouping, type Subgroup, partOf } from './figures/subgroups.ts'

const AGE_ENDS = [18, 50, 65, 75, 85] as const
const MOST_LEVELS = 60
const MISSING = 'missing'

export interface NotedRow extends Pick<LabelledRow, 'text'> {
  /** Overwritten by the next row. */
  readonly slots: Slots
  /** Whether no stated value stands in for a missing one. */
  readonly isComplete: boolean
}

export class RowNotes {
  private readonly groups: readonly Levels[]
  /** How the first groups are read from the slots. The others are columns of the data. */
  private labels: readonly ((slots: Slots) => string)[] | undefined
  private readonly splits: Levels | undefined
  private readonly competing: boolean[] = []
  private readonly complete: boolean[] = []
  private readonly data: DataSpecificationType

  constructor(data: DataSpecificationType) {
    this.data = data
    this.groups = ['sex', 'age', ...(data.groups ?? [])].map((by) => levelsBy(by, MOST_LEVELS))
    this.splits = data.splitBy === undefined ? undefined : levelsBy(data.splitBy)
  }

  add({ slots, text, isComplete }: NotedRow, plan: Plan): void {
    const { competing } = this.data
    this.labels ??= [sexLabel(plan), ageLabel(plan)]
    for (let place = 0; place < this.groups.length; place++) {
      const levels = this.groups[place] as Levels
      levels.add(this.labels[place]?.(slots) ?? text(levels.by))
    }
    this.splits?.add(text(this.splits.by))
    if (competing !== undefined) this.competing.push(competing.values.includes(text(competing.column)))
    this.complete.push(isComplete)
  }

  /** The groupings that part the rows at all, each with its levels in order. */
  groupings(): readonly Grouping[] {
    return this.groups.map((levels) => levels.grouping()).filter(({ levels }) => levels.length > 1)
  }

  /** The parts of the data by site or year, in order; undefined where the specification names no column. */
  split(): Grouping | undefined {
    return this.splits?.grouping()
  }

  /** The same figures under other assumptions: complete records alone, and the competing event counted as the outcome. */
  sensitivity(predictions: Predictions, threshold: number | undefined): readonly Subgroup[] {
    const { complete, competing } = this
    const hasCompeting = this.data.competing !== undefined
    const { outcomes } = predictions
    const known = subset(predictions, (row) => complete[row] === true)
    const counted = outcomes.map((outcome, row) => (competing[row] === true ? 1 : outcome))
    const rest = subset(predictions, (row) => outcomes[row] === 1 || competing[row] === false)
    const parts = [
      ['missing values', 'complete records only', known, complete.includes(false)],
      ['competing event', 'counted as the outcome', { ...predictions, outcomes: counted }, hasCompeting],
      ['competing event', 'rows with it left out', rest, hasCompeting],
    ] as const
    return parts.flatMap(([by, level, part, isAsked]) =>
      isAsked ? [partOf(by, level, part, threshold)] : [],
    )
  }

  /** How many rows without the outcome have the competing event. */
  competingRows({ outcomes }: Predictions): number | undefined {
    if (this.data.competing === undefined) return undefined
    return this.competing.filter((isCompeting, row) => isCompeting && outcomes[row] === 0).length
  }
}

type Levels = ReturnType<typeof levelsBy>

/** The level of every row, numbered as they come. */
function levelsBy(by: string, most = Infinity) {
  const numbers = new Map<string, number>()
  const rows: number[] = []
  return {
    by,
    add(level: string): void {
      const number = numbers.get(level)
      rows.push(number ?? numbers.size)
      if (number !== undefined) return
      if (numbers.size === most)
        throw new DataError([`column ${by}: has more than ${most} values, too many to give figures for each`])
      numbers.set(level, numbers.size)
    },
    grouping(): Grouping {
      const levels = [...numbers.keys()].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
      const places = [...numbers.keys()].map((level) => levels.indexOf(level))
      return { by, levels, levelOf: Uint16Array.from(rows, (number) => places[number] as number) }
    },
  }
}

function sexLabel(plan: Plan): (slots: Slots) => string {
  const slot = plan.slotByName.get('sex') ?? -1
  const domain = plan.fields[slot]?.domain
  const names: string[] = []
  if (domain?.kind === 'code') for (const [name, number] of domain.codes) names[number] = name
  return (slots) => (slots.isUsable(slot) ? (names[slots.valueOf(slot)] ?? MISSING) : MISSING)
}

function ageLabel(plan: Plan): (slots: Slots) => string {
  const slot = plan.slotByName.get('age') ?? -1
  const names = AGE_ENDS.map((from, band) => {
    const next = AGE_ENDS[band + 1]
    return next === undefined ? `${from} and over` : `${from} to ${next - 1}`
  })
  const under = `under ${AGE_ENDS[0]}`
  return (slots) => {
    if (!slots.isUsable(slot)) return MISSING
    const age = slots.valueOf(slot)
    return names[AGE_ENDS.findLastIndex((end) => age >= end)] ?? under
  }
}
