/** A table in which every column holds every unusual value once, beside sound values in all others. */
import type { Domain } from '../../src/definition/domain.ts'
import type { ModelDefinition } from '../../src/definition/model.ts'
import { type FieldPlan, type Definitions, makePlan } from '../../src/plan/plan.ts'
import type { Case } from './compare.ts'
import { UNUSUAL_CELLS } from './unusual-cells.ts'
import type { Value } from './rows.ts'

export function unusualCase(definitions: Definitions, model: ModelDefinition): Case {
  const plan = makePlan(definitions, model)
  const inputs = Object.keys(model.inputs).map(
    (name) => plan.fields[plan.slotByName.get(name) as number] as FieldPlan,
  )
  const scales = new Set(inputs.map(({ scale }) => scale).filter((scale) => scale >= 0))
  const dates = plan.fields.filter(({ scale, domain }) => domain.kind === 'date' && scales.has(scale))
  const fields = [...new Set([...inputs, ...dates])]
  const names = ['idx', ...fields.map(({ name }) => name)]
  const sound = fields.map(({ domain }) => soundCell(domain))
  const rows: Value[][] = []
  for (const place of names.keys()) {
    for (const unusual of UNUSUAL_CELLS) {
      const row = [String(rows.length), ...sound]
      row[place] = unusual
      rows.push(row)
    }
  }
  const columns = names.map((name) => ({ name, type: 'cell' as const }))
  return { definitions, model, output: { kind: 'number' }, table: { columns, rows } }
}

function soundCell(domain: Domain): string {
  switch (domain.kind) {
    case 'integer':
    case 'decimal':
      return String(domain.to)
    case 'list':
      return String(domain.values[0])
    case 'code':
      return [...domain.codes.keys()][0] ?? ''
    case 'yesNo':
      return 'true'
    case 'date':
      return '01-02-2020'
  }
}
