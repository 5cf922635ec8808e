/** What is noted of every used row beside its risk: the parts of the data it belongs to, and what sets it apart. */
import type { Plan } from '../engine/plan.ts'
import { GroupCollector } from './data/collect-groups.ts'
import type { DataSpecificationType } from './data/data-specification.ts'
import { partOf } from './figures/subgroups.ts'
import type { Grouping, Subgroup } from './figures/subgroups.ts'
import { type Predictions, subset } from './figures/predictions.ts'
import type { SeenRow } from './gather.ts'

export class RowNotes {
  private readonly collector: GroupCollector
  private readonly splits: string[] = []
  private readonly competing: number[] = []
  private readonly complete: number[] = []
  private readonly data: DataSpecificationType

  constructor(data: DataSpecificationType) {
    this.data = data
    this.collector = new GroupCollector(data.groups ?? [])
  }

  add(row: SeenRow, plan: Plan): void {
    this.collector.add(plan, row.slots, row.groups)
    if (this.data.splitBy !== undefined) this.splits.push(row.split)
    this.competing.push(row.isCompeting ? 1 : 0)
    this.complete.push(row.isComplete ? 1 : 0)
  }

  groupings(): readonly Grouping[] {
    return this.collector.groupings()
  }

  /** The parts of the data by site or year, in order; undefined where the specification names no column. */
  split(): Grouping | undefined {
    const { splitBy: by } = this.data
    if (by === undefined) return undefined
    const levels = [...new Set(this.splits)].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    const places = new Map(levels.map((level, place) => [level, place]))
    return { by, levels, levelOf: Uint16Array.from(this.splits, (level) => places.get(level) as number) }
  }

  /** The same figures under other assumptions: complete records alone, and the competing event counted as the outcome. */
  sensitivity(predictions: Predictions, threshold: number | undefined): readonly Subgroup[] {
    const parts: Subgroup[] = []
    const add = (by: string, level: string, part: Predictions): number =>
      parts.push(partOf(by, level, part, threshold))
    if (this.complete.includes(0)) {
      add(
        'missing values',
        'complete records only',
        subset(predictions, (row) => this.complete[row] === 1),
      )
    }
    if (this.data.competing !== undefined) {
      const outcomes = predictions.outcomes.map((outcome, row) => outcome | (this.competing[row] as number))
      add('competing event', 'counted as the outcome', { ...predictions, outcomes })
      const rest = subset(predictions, (row) => predictions.outcomes[row] === 1 || this.competing[row] === 0)
      add('competing event', 'rows with it left out', rest)
    }
    return parts
  }

  /** How many rows without the outcome have the competing event. */
  competingRows({ outcomes }: Predictions): number | undefined {
    if (this.data.competing === undefined) return undefined
    return this.competing.filter((flag, row) => flag === 1 && outcomes[row] === 0).length
  }
}
