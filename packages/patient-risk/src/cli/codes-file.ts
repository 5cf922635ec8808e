/** The file of `--codes`: what the codes of a sender mean, as in a deployment of the configuration. */
import { readFileSync } from 'node:fs'
import type { Codes } from 'patient-risk-engine'
import { isObject, parseJson } from 'patient-risk-engine/read'
import { UsageError } from './command.ts'

export function codesIn(path: string): Codes {
  let value: unknown
  try {
    value = parseJson(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''))
  } catch {
    throw new UsageError(`--codes takes a JSON file; ${path} is not one.`)
  }
  if (isCodes(value)) return value
  throw new UsageError(`${path} must hold the codes of fields: {"sex":{"H":"M","M":"F"}}.`)
}

function isCodes(value: unknown): value is Codes {
  const isMeaning = (each: unknown): boolean =>
    each === null || typeof each === 'string' || typeof each === 'boolean'
  return (
    isObject(value) &&
    Object.values(value).every((field) => isObject(field) && Object.values(field).every(isMeaning))
  )
}
