/** The specification file of `patient-risk learn`: what the data say, and what is to be fitted. */
import { readFileSync, statSync } from 'node:fs'
import Type from 'typebox'
import { hasShape } from '../definition/check/check-shape.ts'
import { FaultList, faultLine } from '../definition/fault.ts'
import { DataError } from './data/data-error.ts'
import { DataSpecification, type DataSpecificationType } from './data/data-specification.ts'
import {
  FitOptions,
  type FitOptionsType,
  ModelSpecification,
  type ModelSpecificationType,
} from './model/model-specification.ts'

export const SpecificationFile = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    data: DataSpecification,
    model: Type.Optional(ModelSpecification),
    fit: Type.Optional(FitOptions),
  },
  { additionalProperties: false },
)

/** What a fitted model's folder calls the specification that it was made with. */
export const SPECIFICATION_FILE = 'specification.json'

export interface Specification {
  readonly data: DataSpecificationType
  readonly model?: ModelSpecificationType
  readonly fit?: FitOptionsType
}

export function readSpecification(path: string): Specification {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new DataError([`${path}: there is no such file`])
  }
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new DataError([`${path}: is not well-formed JSON: ${(error as Error).message}`])
  }
  return checkSpecification(value, path)
}

export function checkSpecification(value: unknown, path = 'specification'): Specification {
  const faults = new FaultList(path)
  if (!hasShape(SpecificationFile, value, faults)) throw new DataError(faults.faults.map(faultLine))
  return value as Specification
}
