/**
 * Fields whose codes `/fields` lists for the key: the page shows the values of the field, and sends the codes that stand for them. What a
 * file writes is sent as it is, since its codes are those of the sender.
 */
import { type FieldCodes, writtenCode } from 'patient-risk-engine'
import type { Field, Value } from './fields.ts'

type Coded = Pick<Field, 'codes'>

/** No field has it, and no code is empty: a value that cannot be sent is refused, and never taken for another one. */
const NO_CODE = ''

const codesOf = ({ codes }: Coded): FieldCodes | undefined => codes

/** A value of the field as it is sent. */
export function sentCode(field: Coded, value: Value): Value {
  return typeof value === 'number' ? value : (writtenCode(codesOf(field), value) ?? NO_CODE)
}

/** What a text of a file stands for: a value of the field, or null for none; undefined where the codes do not name it. */
export function meaningOfCode(field: Coded, text: string): Value | null | undefined {
  const codes = codesOf(field)
  return codes !== undefined && Object.hasOwn(codes, text) ? codes[text] : undefined
}

/** Whether a code stands for this value, so that the value itself could mean either. */
export function isMeantByCode(field: Coded, value: Value): boolean {
  return Object.values(codesOf(field) ?? {}).includes(value as string | boolean)
}
