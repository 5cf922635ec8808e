/** Business identifiers, as one text of system and value. Without a system, the system is empty. */
import { type Json, inside, textOf } from 'patient-risk-engine/read'
import { allOf } from '../../../../remote/elements.ts'

/** The business identifiers of a resource: system and value. */
export function identifiersOf({ identifier }: Json): readonly string[] {
  return allOf(identifier).flatMap((each) => keyOfIdentifier(each) ?? [])
}

export function keyOfIdentifier(identifier: unknown): string | undefined {
  const value = textOf(inside(identifier, 'value'))?.trim() ?? ''
  return value === '' ? undefined : `${textOf(inside(identifier, 'system'))?.trim() ?? ''}|${value}`
}

export function systemOf(identifier: string): string {
  return identifier.slice(0, identifier.lastIndexOf('|'))
}

export function valueOf(identifier: string): string {
  return identifier.slice(identifier.lastIndexOf('|') + 1)
}
