/** What `score` would read from a table, without scoring it: its form, its columns, and cells that another form would take. */
import type { FeedDoubt } from '@patient-risk/monitor'
import { TableEngine } from '../../tables/engine.ts'
import { type TableFile, useTable } from '../../tables/open-table.ts'
import { describeForm } from '../../tables/readings.ts'
import { type CodeCounts, countCodes } from './code-counts.ts'
import { type ColumnFinding, type ReadingSetting, findReadings } from './other-readings.ts'
import { tableDoubts } from './table-doubts.ts'
import { tableSource } from './table-source.ts'

export interface InspectedTable {
  /** How the cells are read; undefined for Parquet, which has types. */
  readonly form: string | undefined
  readonly rows: number
  /** Rows whose number of cells is not that of the header. */
  readonly faultyRows: number
  /** The columns in their order: what each is read as. */
  readonly columns: readonly {
    readonly name: string
    readonly field: string | undefined
    readonly finding: ColumnFinding | undefined
    /** Of codes, and of yes and no. */
    readonly codes: CodeCounts | undefined
  }[]
  /** What the values leave in doubt, as `score` would say it. */
  readonly doubts: readonly FeedDoubt[]
}

export async function inspectTable(setting: ReadingSetting, file: TableFile): Promise<InspectedTable> {
  using engine = await TableEngine.open(1)
  const { catalog, columnOptions, deployment } = setting
  return await useTable(engine, file, columnOptions, async (table) => {
    const { codes } = deployment.scorerOptions
    const source = tableSource(table, columnOptions, catalog.domains, {}, codes)
    const findings = await findReadings(setting, engine, table, source)
    const ofCodes = await countCodes(setting, engine, source)
    const doubts = await tableDoubts(setting, engine, table, undefined)
    const [counted] = await engine.rows(`SELECT count(*) AS n FROM ${table.from}`)
    const fieldOf = new Map<string, string>()
    for (const [field, column] of source.fields) fieldOf.set(column, field)
    return {
      form: table.isText ? describeForm(table, columnOptions) : undefined,
      rows: Number(counted?.['n']),
      faultyRows: table.faultCount,
      columns: table.columns.map(({ name }) => ({
        name,
        field: fieldOf.get(name),
        finding: findings.find(({ column }) => column === name),
        codes: ofCodes.find(({ field }) => field === fieldOf.get(name)),
      })),
      doubts: [...doubts.values()].flat(),
    }
  })
}
