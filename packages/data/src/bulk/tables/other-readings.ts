/** Columns of a text table that are written in another form than they are read: the same finding for `score` and for `inspect`. */
import type { Catalog, Deployment } from '@patient-risk/catalog'
import { type FieldPlan, type Plan, makePlan } from 'patient-risk-engine'
import { BadFile } from '../../tables/bad-file.ts'
import type { TableEngine } from '../../tables/engine.ts'
import {
  type ColumnCounts,
  type ReadColumn,
  countReadings,
  decidedOptions,
  proposedOptions,
} from '../../tables/readings.ts'
import type { Table } from '../../tables/table.ts'
import type { ColumnOptions, TableSource } from './table-source.ts'

export interface ReadingSetting {
  readonly catalog: Catalog
  readonly deployment: Deployment
  readonly columnOptions: ColumnOptions
  readonly today: number
}

export interface ColumnFinding extends ColumnCounts {
  /** The options that would take enough of the refused cells; several where the column leaves open which one is meant. */
  readonly proposed: readonly string[]
  /** Whether the model uses the field, or something that is computed from it. */
  readonly isUsed: boolean
}

export async function findReadings(
  { catalog, deployment, columnOptions, today }: ReadingSetting,
  engine: TableEngine,
  table: Table,
  { read }: Pick<TableSource, 'read'>,
): Promise<readonly ColumnFinding[]> {
  const { conversions } = deployment.scorerOptions
  const plan = makePlan(catalog.definitions, deployment.model.definition, conversions)
  const columns = read.map(({ column, field }): ReadColumn => {
    const { domain, conversion } = plan.fields[plan.slotByName.get(field) as number] as FieldPlan
    return { column, field, domain, conversion }
  })
  const used = usedFields(plan)
  const found: ColumnFinding[] = []
  for (const [place, counts] of (
    await countReadings(engine, table, columns, columnOptions, today)
  ).entries()) {
    const proposed = await decidedOptions(
      engine,
      table,
      columns[place] as ReadColumn,
      proposedOptions(counts),
    )
    found.push({ ...counts, proposed, isUsed: used.has(counts.field) })
  }
  return found
}

/** A table whose columns are written in another form: only the cells that look alike in both would be scored. */
export class WrittenOtherwise extends BadFile {
  private readonly found: readonly ColumnFinding[]

  constructor(found: readonly ColumnFinding[]) {
    const options = new Set(found.map(({ proposed }) => proposed.join(' or ')))
    const texts = found.map((finding) => findingText(finding)).join('; ')
    super(`${texts}. Nothing was written. Add ${[...options].join(' ')} and start again`)
    this.found = found
  }

  /** For interfaces where nobody can add an option. */
  get form(): string {
    const texts = this.found.map((finding) => findingText(finding, formOf)).join('; ')
    return `${texts}. Send numbers with a decimal point, and dates as DD-MM-YYYY or YYYY-MM-DD`
  }
}

/** What an option says of the cells. */
function formOf(option: string): string {
  if (option.startsWith('--dates ')) return `dates as ${option.slice('--dates '.length)}`
  return option === '--decimal-comma' ? 'a decimal comma' : 'a decimal point'
}

/** What is wrong with a column, as its counts show it. */
export function findingText(
  { column, refused, taken, proposed }: ColumnFinding,
  named = (option: string): string => option,
): string {
  const counts = taken.filter(({ option }) => proposed.includes(option)).map(({ count }) => count)
  const most = Math.max(...counts).toLocaleString('en')
  const of = `${most} of ${refused.toLocaleString('en')} refused values`
  return `column ${column}: ${of} would be taken with ${proposed.map(named).join(' or ')}`
}

/** The inputs of the model, what they may be computed from, and the dates of scales among these. */
function usedFields(plan: Plan): ReadonlySet<string> {
  const { fields, scales } = plan
  const needed = fields.filter((_field, slot) => plan.isNeeded(slot))
  const dates = needed.flatMap(({ scale }) => fields[scales[scale]?.dateSlot ?? -1] ?? [])
  return new Set([...needed, ...dates].map(({ name }) => name))
}
