/** `patient-risk sql`: prints a model as one SELECT, for tables that stay in their database. */
import type { Catalog } from '@patient-risk/catalog'
import { type Domain, nearNames } from 'patient-risk-engine/definition'
import {
  DIALECTS,
  NotInSql,
  type Column,
  type ColumnType,
  type Columns,
  selectFor,
} from 'patient-risk-engine/sql'
import { Refusal, UsageError, command, printNote, printOutput } from './command.ts'
import { deploymentFor, mapOf } from './score/score-options.ts'

/** The type that a table usually has for a field; `number` for those that are not listed. */
const USUAL: Partial<Record<Domain['kind'], ColumnType>> = { code: 'text', yesNo: 'boolean', date: 'date' }
const COLUMN_TYPES = 'cell, text, integer, number, decimal, boolean, date, other'

export const sql = command(
  {
    texts: ['model', 'deployment', 'dialect', 'table', 'id', 'columns', 'output-kind', 'threshold'],
    lists: ['map'],
    flags: ['notices'],
  },
  (values) => {
    const dialect = DIALECTS.find(({ name }) => name === values.dialect)
    if (dialect === undefined)
      throw new UsageError(`--dialect takes ${DIALECTS.map(({ name }) => name).join(', ')}.`)
    const { catalog, deployment } = deploymentFor(values)
    const { model, output, scorerOptions } = deployment
    const map = mapOf(values, catalog)
    const usual = ['idx', ...Object.keys(model.definition.inputs)].map((ours) => map.get(ours) ?? ours)
    const given = values.columns?.split(',') ?? (values.id === undefined ? usual : usual.slice(1))
    const columns = columnsOf(given, map, catalog, values.id)
    if (values.id === undefined && !columns.has('idx'))
      throw new UsageError('No column is the idx; name it with --id COLUMN or --map idx=COLUMN.')
    for (const input of Object.keys(model.definition.inputs)) {
      if (!columns.has(input)) printNote(`No column holds ${input}, an input of the model.`)
    }
    try {
      const { id, table: source = 'patients' } = values
      const options = { dialect, source, columns, output, id, conversions: scorerOptions.conversions }
      const notices = values.notices === true ? scorerOptions : undefined
      return printOutput(selectFor(catalog.definitions, model, { ...options, notices }))
    } catch (error) {
      throw error instanceof NotInSql ? new Refusal(error.message) : error
    }
  },
)

/** The columns by field. Unknown columns are reported once, with similar names. */
function columnsOf(
  given: readonly string[],
  map: ReadonlyMap<string, string>,
  catalog: Catalog,
  id: string | undefined,
): Columns {
  const ours = new Map([...map].map(([field, theirs]) => [theirs, field]))
  const columns = new Map<string, Column>()
  for (const each of given) {
    const [name = '', typeName] = each.trim().split(':')
    const field = ours.get(name) ?? name
    const domain = catalog.domains.get(field)
    const type = COLUMN_TYPES.split(', ').find((known) => known === typeName) as ColumnType | undefined
    if (typeName !== undefined && type === undefined)
      throw new UsageError(`--columns ${each.trim()}: a type is ${COLUMN_TYPES}.`)
    if (field === 'idx') columns.set('idx', { name, type: type ?? 'integer' })
    else if (domain !== undefined) columns.set(field, { name, type: type ?? USUAL[domain.kind] ?? 'number' })
    else if (name !== id) {
      const near = nearNames(name, ['idx', ...catalog.domains.keys()])
      printNote(
        `The column ${name} is not a field and is ignored.${near.length === 0 ? '' : ` Is it ${near.join(' or ')}?`}`,
      )
    }
  }
  return columns
}
