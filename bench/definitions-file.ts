/** What the peers know of the fields: a file that a team would write from the same clinical pages. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FieldPlan, Plan } from 'patient-risk-engine'

const SCALES = fileURLToPath(new URL('../clinical/scales', import.meta.url))
/** The fields of the payloads with 10 and 50 fields. */
const IN_PAYLOADS =
  /^(age|sex|inpatientAdmissions|emergencyAdmissions|stayDays|haemoglobin|charlson_total)$|^(barthel|mna|braden|frail)_/

interface ScaleFile {
  readonly id: string
  readonly items: Readonly<Record<string, unknown>>
  readonly subtotals?: Readonly<Record<string, { readonly items: readonly string[] }>>
  readonly total: unknown
  readonly codings?: unknown
}

/** Every field, and which fields are the sums of which others. */
export function definitionsFile({ plan, folder }: { readonly plan: Plan; readonly folder: string }): string {
  const file = join(folder, 'definitions.json')
  const fields = plan.fields.map((field) => ({ item: field.item, ...described(field) }))
  writeFileSync(
    file,
    JSON.stringify({ fields, sums: Object.fromEntries(readdirSync(SCALES).flatMap(sumsOf)) }),
  )
  return file
}

/** The fields of the payloads alone, for peers with a typed record: all 507 fields in each record would make them much slower. */
export function payloadFieldsFile({
  plan,
  folder,
}: {
  readonly plan: Plan
  readonly folder: string
}): string {
  const file = join(folder, 'payload-fields.json')
  writeFileSync(file, JSON.stringify(plan.fields.filter(({ name }) => IN_PAYLOADS.test(name)).map(described)))
  return file
}

function described({ name, domain }: FieldPlan): object {
  return { name, domain: domain.kind === 'code' ? { kind: 'code', codes: [...domain.codes.keys()] } : domain }
}

/** The sums of a scale with one form. The few others are left to the service. */
function sumsOf(folder: string): [string, readonly string[]][] {
  const scale = JSON.parse(readFileSync(join(SCALES, folder, `${folder}.json`), 'utf8')) as ScaleFile
  const { id, items, subtotals = {}, total, codings } = scale
  if (total !== 'sum' || codings !== undefined) return []
  const named = (parts: readonly string[]): string[] => parts.map((part) => `${id}_${part}`)
  const parts = Object.entries(subtotals).map(([name, { items: of }]): [string, string[]] => [
    `${id}_${name}`,
    named(of),
  ])
  return [...parts, [`${id}_total`, named(Object.keys(items))]]
}
