/** Proves the base fields and further inputs sound. */
import { hasShape } from './check-shape.ts'
import type { FaultList } from './fault.ts'
import { FIELD_SCHEMAS, type FieldDefinition, type FieldsDefinition, FieldsFile } from './field.ts'

const NAME = /^[a-z][A-Za-z0-9]*$/

export function checkFields(value: unknown, faults: FaultList): FieldsDefinition | undefined {
  const groups = (['base', 'inputs'] as const).flatMap((group) => entriesOf(value, group))
  const choices = groups.map(({ path, field }) => ({ path, value: field, by: 'type', shapes: FIELD_SCHEMAS }))
  if (!hasShape(FieldsFile, value, faults, choices)) return undefined
  for (const { path, name, field } of groups) checkField(path, name, field as FieldDefinition, faults)
  return value as FieldsDefinition
}

function entriesOf(value: unknown, group: string): { path: string; name: string; field: unknown }[] {
  const fields = (value as Readonly<Record<string, unknown>> | null)?.[group]
  if (typeof fields !== 'object' || fields === null) return []
  return Object.entries(fields).map(([name, field]) => ({
    path: `/${group}/${name}`,
    name,
    field: field as unknown,
  }))
}

function checkField(path: string, name: string, field: FieldDefinition, faults: FaultList): void {
  if (!NAME.test(name)) {
    faults.add(
      path,
      'field-name',
      'a field name starts with a lower-case letter and has letters and digits only',
    )
  }
  if (name === 'idx' || name === 'record' || name === 'risk') {
    faults.add(path, 'field-name', `${name} is a word of the interface and cannot name a field`)
  }
  if ((field.type === 'integer' || field.type === 'decimal') && field.from >= field.to) {
    faults.add(path, 'range', '`from` must lie below `to`')
  }
  if (field.type === 'code' && Object.keys(field.values).length === 0) {
    faults.add(`${path}/values`, 'range', 'a code field needs at least one permitted code')
  }
}
