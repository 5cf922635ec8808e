/** The attributes of every used row: its groups, its part of the split, and whether it is complete or has a competing event. */
import type { Plan, Slots } from 'patient-risk-engine'
import { DataError } from '../../tables/data-error.ts'
import type { DataSpecificationType } from './specification.ts'
import type { LabelledRow } from './read-labelled.ts'

/** The level of each row, numbered, with the names of the levels. */
export interface Grouping {
  readonly by: string
  readonly levels: readonly string[]
  readonly levelOf: Uint32Array
}

const AGE_BANDS = [
  [85, '85 and over'],
  [75, '75 to 84'],
  [65, '65 to 74'],
  [50, '50 to 64'],
  [18, '18 to 49'],
  [-Infinity, 'under 18'],
] as const
const MOST_LEVELS = 60

export class RowAttributes {
  private readonly groups: readonly Levels[]
  private readonly splits: Levels | undefined
  /** Whether each row has a value for every input. */
  readonly complete: boolean[] = []
  /** Whether the competing event happened in each row; undefined where the specification names none. */
  readonly competing: boolean[] | undefined
  private readonly data: DataSpecificationType

  /** The slots hold the record of the row that is added. */
  constructor(data: DataSpecificationType, plan: Plan, slots: Slots) {
    this.data = data
    this.competing = data.competing && []
    const levelsIn = (field: string, nameOf: (value: number) => string | undefined): Levels => {
      const slot = plan.slotByName.get(field) ?? -1
      const labelOf = (): string =>
        (slots.isUsable(slot) ? nameOf(slots.valueOf(slot)) : undefined) ?? 'missing'
      return levelsBy(field, MOST_LEVELS, labelOf)
    }
    const sex = plan.fields[plan.slotByName.get('sex') ?? -1]?.domain
    const sexes = new Map(sex?.kind === 'code' ? [...sex.codes].map(([code, number]) => [number, code]) : [])
    this.groups = [
      levelsIn('sex', (number) => sexes.get(number)),
      levelsIn('age', (age) => AGE_BANDS.find(([from]) => age >= from)?.[1]),
      ...(data.groups ?? []).map((by) => levelsBy(by, MOST_LEVELS)),
    ]
    this.splits = data.splitBy === undefined ? undefined : levelsBy(data.splitBy, Infinity)
  }

  add(row: LabelledRow, isComplete: boolean): void {
    for (const levels of this.groups) levels.add(row)
    this.splits?.add(row)
    const { column = '', values = [] } = this.data.competing ?? {}
    this.competing?.push(values.includes(row.text(column)))
    this.complete.push(isComplete)
  }

  /** The groupings that have more than one level, with their levels in order. */
  groupings(): readonly Grouping[] {
    return this.groups.map((levels) => levels.grouping()).filter(({ levels }) => levels.length > 1)
  }

  /** The parts of the data by site or year, in order; undefined where the specification names no column. */
  split(): Grouping | undefined {
    return this.splits?.grouping()
  }
}

type Levels = ReturnType<typeof levelsBy>

/** The level of every row, numbered in the order of the rows. */
function levelsBy(by: string, most: number, labelOf = ({ text }: LabelledRow): string => text(by)) {
  const numbers = new Map<string, number>()
  const rows: number[] = []
  return {
    add(row: LabelledRow): void {
      const level = labelOf(row)
      const number = numbers.get(level) ?? numbers.size
      rows.push(number)
      if (number === most)
        throw new DataError([`column ${by}: has more than ${most} values, too many to give figures for each`])
      numbers.set(level, number)
    },
    grouping(): Grouping {
      const levels = [...numbers.keys()].sort(new Intl.Collator('en', { numeric: true }).compare)
      const places = new Map(levels.map((level, place) => [numbers.get(level), place]))
      return { by, levels, levelOf: Uint32Array.from(rows, (number) => places.get(number) as number) }
    },
  }
}
