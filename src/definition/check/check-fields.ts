/** Checks the base fields and further inputs. */
import { hasShape } from './check-shape.ts'
import type { FaultList } from '../fault.ts'
import { FIELD_SCHEMAS, type FieldDefinition, type FieldsDefinition, FieldsFile } from '../field.ts'
import { fieldNameFault } from '../name.ts'

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
  const wrong = fieldNameFault(name)
  if (wrong !== undefined) faults.add(path, 'field-name', wrong)
  if ((field.type === 'integer' || field.type === 'decimal') && field.from >= field.to) {
    faults.add(path, 'range', '`from` must lie below `to`')
  }
  if (field.type === 'code') checkCodes(`${path}/values`, Object.keys(field.values), faults)
}

function checkCodes(path: string, codes: readonly string[], faults: FaultList): void {
  if (codes.length === 0) faults.add(path, 'codes', 'a code field needs at least one permitted code')
  if (codes.some((code) => code.trim() !== code || code === '')) {
    faults.add(path, 'codes', 'a code is not empty and has no space at its ends')
  }
}
