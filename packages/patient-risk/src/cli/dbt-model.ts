/** A statement as an incremental model of dbt: each run scores the rows that are new or changed, and removes those that are gone. */
import { FUTURE_DATE } from '@patient-risk/data/bulk'
import type { Dialect } from 'patient-risk-engine/sql'
import { UsageError } from './command.ts'

export interface DbtSource {
  readonly dialect: Dialect
  /** `source.table` for a source of the project, or the name of a model or seed. */
  readonly table: string
  /** The column of the table that the results have as idx. */
  readonly idx: string
  /** The column that is another one with every change of a row. The results have it too. */
  readonly updated: string
  readonly deploymentDigest: string
}

const TABLE = /^[a-z_]\w*(\.[a-z_]\w*)?$/i

/** Dialects in which a model of dbt was run. */
const DBT_DIALECTS: readonly string[] = ['duckdb', 'postgres']

interface DbtValues {
  readonly table?: string
  readonly unique?: boolean
  readonly lookup?: boolean
  readonly notices?: boolean
  readonly today?: string
}

export function refuseDbt({ name }: Dialect, { table = 'patients', ...values }: DbtValues): void {
  if (!DBT_DIALECTS.includes(name))
    throw new UsageError(`--dbt is for --dialect ${DBT_DIALECTS.join(' and ')}.`)
  // A run sees only the rows that have changed, and none of those that they may repeat.
  if (values.unique !== true)
    throw new UsageError('--dbt needs --unique, and a table whose idx is a primary key.')
  if (values.lookup === true) throw new UsageError('--dbt and --lookup are two forms; leave one of them out.')
  if (values.notices === true)
    throw new UsageError('--dbt keeps answers, and notices change with every day: leave out --notices.')
  if (values.today !== undefined)
    throw new UsageError('--dbt judges dates by the day of each run: leave out --today.')
  if (!TABLE.test(table))
    throw new UsageError(
      `--table ${table}: --dbt takes the name of a model or seed, or source.table for a source of the project.`,
    )
}

/** What stands after FROM: all rows in the first run and with --full-refresh, and later those without an answer of the same state. */
export function dbtSource(given: DbtSource): string {
  const { dialect, updated, deploymentDigest } = given
  const { identifier, string, currentDay } = dialect
  const column = identifier(updated)
  return `(
    SELECT given.* FROM ${relationOf(given)} AS given
    {% if is_incremental() %}
    WHERE NOT EXISTS (
      SELECT 1 FROM {{ this }} AS same
      WHERE same.idx = ${keyOf(given)}
        AND same.${column} = given.${column}
        AND same.deployment_digest = ${string(deploymentDigest)}
        AND (same.scored_on = ${currentDay} OR same.error_message IS NULL OR same.error_message NOT LIKE ${string(`%${FUTURE_DATE}%`)})
    )
    {% endif %}
  ) AS patients`
}

/** `statement` reads what `dbtSource` gives. Its first line is a comment, and stays the first one. */
export function dbtModel(statement: string, given: DbtSource): string {
  const [comment = '', ...lines] = statement.trimEnd().split('\n')
  const { currentDay } = given.dialect
  return `${comment}
-- Made by patient-risk sql --dbt; make it again after each new version of the model.
{{ config(
    materialized='incremental', incremental_strategy='delete+insert', unique_key='idx', on_schema_change='fail',
    post_hook="${removeGone(given).replaceAll('"', '\\"')}"
) }}
SELECT scored.*, ${currentDay} AS scored_on, CURRENT_TIMESTAMP AS scored_at
FROM (
${lines.join('\n')}
) AS scored
`
}

/** An empty table is more likely a load that failed: nothing is removed then. */
function removeGone(given: DbtSource): string {
  const from = `SELECT 1 FROM ${relationOf(given)} AS given`
  return `DELETE FROM {{ this }} AS kept WHERE EXISTS (${from}) AND NOT EXISTS (${from} WHERE ${keyOf(given)} = kept.idx)`
}

function relationOf({ table }: DbtSource): string {
  const [first, second] = table.split('.')
  return second === undefined ? `{{ ref('${first}') }}` : `{{ source('${first}', '${second}') }}`
}

function keyOf({ dialect, idx }: DbtSource): string {
  return `given.${dialect.identifier(idx)}`
}
