/** Checks the base fields and further inputs, and what a field, a scale or a part of a scale may be called. */
import type { FaultList } from '../fault.ts'
import type { FieldsDefinition } from '../field.ts'

const NAME = /^[a-z][A-Za-z0-9]*$/

/** Words of the interface, which no field may take. */
const INTERFACE_WORDS: readonly string[] = ['idx', 'record', 'risk']

/** What is wrong with a name, or undefined. */
export function nameFault(name: string): string | undefined {
  if (!NAME.test(name)) return 'a name starts with a lower-case letter and has letters and digits only'
  // Every JavaScript object has these properties, so a look-up by name would find them.
  if (name in Object.prototype) return `${name} is a word of the programming language and cannot be a name`
  return undefined
}

export function fieldNameFault(name: string): string | undefined {
  if (INTERFACE_WORDS.includes(name)) return `${name} is a word of the interface and cannot name a field`
  return nameFault(name)
}

export function checkFields(fields: FieldsDefinition, faults: FaultList): void {
  for (const group of ['base', 'inputs'] as const) {
    for (const [name, field] of Object.entries(fields[group] ?? {})) {
      const path = `/${group}/${name}`
      const wrong = fieldNameFault(name)
      if (wrong !== undefined) faults.add(path, 'field-name', wrong)
      if ((field.type === 'integer' || field.type === 'decimal') && field.from >= field.to)
        faults.add(path, 'range', '`from` must lie below `to`')
      const codes = field.type === 'code' ? Object.keys(field.values) : ['none']
      if (codes.length === 0)
        faults.add(`${path}/values`, 'codes', 'a code field needs at least one permitted code')
      if (codes.some((code) => code.trim() !== code || code === ''))
        faults.add(`${path}/values`, 'codes', 'a code is not empty and has no space at its ends')
    }
  }
}
