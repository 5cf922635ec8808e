/**
 * What the codes of a sender mean: `{"sex":{"H":"M","M":"F"}}`. A mapping is applied to a value as it was sent, before anything is
 * judged. A value that it does not name is judged as without it, unless another code stands for that value: then it could mean either.
 */
import { type Domain, codesIn } from '../definition/domain.ts'

/** What a code stands for: a permitted code, yes or no, or null for no value. */
export type CodeMeaning = string | boolean | null
/** The codes of one field with what they stand for. */
export type FieldCodes = Readonly<Record<string, CodeMeaning>>
/** By the name of the field. Only code and yes/no fields take codes. */
export type Codes = Readonly<Record<string, FieldCodes>>

/** The mapping of one field, ready to read with. */
export interface ReceivedCodes {
  /** The number in the slot for each code; null for no value, undefined where the model does not permit what it stands for. */
  readonly named: ReadonlyMap<string, number | null | undefined>
  /** The same for the values that keep their own meaning: texts of a code field, true and false of a yes/no field. */
  readonly plain: ReadonlyMap<unknown, number>
}

/** A key's mapping of a field takes the place of the deployment's. */
export function codesWith(ofDeployment: Codes, ofKey: Codes): Codes {
  return { ...ofDeployment, ...ofKey }
}

/** The permitted values of a field that takes codes, each with its number in the slot; undefined for any other field. */
export function codedValues(domain: Domain): ReadonlyMap<string | boolean, number> | undefined {
  if (domain.kind === 'code') return codesIn(domain)
  return domain.kind === 'yesNo' ? YES_NO : undefined
}

const YES_NO: ReadonlyMap<boolean, number> = new Map([
  [true, 1],
  [false, 0],
])

/** Undefined for a mapping without codes, and for a field that takes none. */
export function receivedCodes(domain: Domain, mapping: FieldCodes | undefined): ReceivedCodes | undefined {
  const values = codedValues(domain)
  const entries = Object.entries(mapping ?? {})
  if (values === undefined || entries.length === 0) return undefined
  const named = new Map(
    entries.map(([code, meaning]) => [code, meaning === null ? null : values.get(meaning)]),
  )
  const meant = new Set<unknown>(entries.map(([, meaning]) => meaning))
  const isPlain = (value: string | boolean): boolean => !meant.has(value) && !named.has(value as string)
  return { named, plain: new Map([...values].filter(([value]) => isPlain(value))) }
}

/** The number that a received value stands for: null for no value, undefined where it stands for none that is permitted. */
export function meaningOf({ named, plain }: ReceivedCodes, given: unknown): number | null | undefined {
  // A number is compared by its shortest text: 1, 1.0 and 1e0 are the same code.
  const code = typeof given === 'number' && Number.isFinite(given) ? String(given) : given
  if (typeof code === 'string' && named.has(code)) return named.get(code)
  return plain.get(given)
}

/** How a sender with these codes writes a value; undefined where it has no code for it, and the value itself means another. */
export function writtenCode(
  mapping: FieldCodes | undefined,
  value: string | boolean,
): string | boolean | undefined {
  if (mapping === undefined) return value
  const code = Object.keys(mapping).find((each) => mapping[each] === value)
  return code ?? (Object.hasOwn(mapping, String(value)) && typeof value === 'string' ? undefined : value)
}
