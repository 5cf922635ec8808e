/** `patient-risk inspect`: what `score` would read from a file, and what to add where it is written in another form. */
import type { InspectedTable } from '@patient-risk/data/bulk/tables'
import { doubtText } from '@patient-risk/monitor'
import { BadFile, DataError, EngineMissing } from '@patient-risk/data/tables'
import { systemClock } from '@patient-risk/runtime'
import { nearNames } from 'patient-risk-engine/definition'
import { Refusal, command, printOutput, textTable } from '../command.ts'
import { columnOptionsOf, deploymentFor, inputsFor } from './score-options.ts'

export const inspect = command(
  {
    texts: [
      'deployment',
      'model',
      'codes',
      'from',
      'id',
      'idx',
      'specification',
      'delimiter',
      'encoding',
      'dates',
    ],
    lists: ['map', 'missing'],
    flags: ['decimal-comma', 'decimal-point', 'json'],
    operands: 'Name one file to inspect.',
  },
  async ({ json, ...values }, [path = '']) => {
    try {
      const [{ path: file, format } = { path, format: 'json' as const }] = inputsFor([path], values)
      if (format === 'json' || format === 'ndjson')
        throw new Refusal(
          `${path}: JSON has names and types of its own; only CSV, TSV, XLSX and Parquet are inspected.`,
        )
      const { catalog, deployment, config } = deploymentFor(values)
      const columnOptions = await columnOptionsOf(values, catalog, true)
      const { inspectTable } = await import('@patient-risk/data/bulk/tables')
      const today = systemClock(config.timeZone).today()
      const found = await inspectTable({ catalog, deployment, columnOptions, today }, { path: file, format })
      return printOutput(textOf(path, found, [...catalog.domains.keys()]), json && found)
    } catch (error) {
      if (error instanceof BadFile) throw new Refusal(`${path}: ${error.message}.`)
      if (error instanceof DataError || error instanceof EngineMissing) throw new Refusal(error.message)
      throw error
    }
  },
)

function textOf(path: string, found: InspectedTable, fields: readonly string[]): string {
  const { form, rows, faultyRows, columns, doubts } = found
  const head = `${path}: ${form ?? 'Parquet'}, ${rows.toLocaleString('en')} rows.`
  const faulty = `${faultyRows.toLocaleString('en')} rows have more or fewer cells than the header.`
  const table = textTable(
    ['COLUMN', 'FIELD', 'VALUES', 'REFUSED', 'WHAT TO DO'],
    columns.map((column) => {
      const counts = column.finding ?? column.codes
      const given = counts?.given.toLocaleString('en') ?? '-'
      const refused = counts?.refused.toLocaleString('en') ?? '-'
      return [column.name, column.field ?? '-', given, refused, adviceOn(column, fields)]
    }),
  )
  const doubted = doubts.map((each) => `  ${doubtText(each)}\n`).join('')
  const inDoubt = doubts.length === 0 ? '' : `\nDoubts about the data:\n${doubted}`
  return `${[head, ...(faultyRows > 0 ? [faulty] : [])].join('\n')}\n\n${table}${inDoubt}`
}

function adviceOn(
  { name, field, finding, codes }: InspectedTable['columns'][number],
  fields: readonly string[],
): string {
  if (field === undefined) {
    const [near] = nearNames(name, fields)
    return near === undefined ? 'not a field: ignored' : `not a field: ignored; or --map ${near}=${name}`
  }
  if (codes !== undefined && codes.refused > 0) return 'add --codes FILE, which says what its codes mean'
  if (finding === undefined || finding.proposed.length === 0) return ''
  const { proposed, taken } = finding
  const counts = taken.filter(({ option }) => proposed.includes(option)).map(({ count }) => count)
  return `add ${proposed.join(' or ')}: takes ${Math.max(...counts).toLocaleString('en')} of them`
}
