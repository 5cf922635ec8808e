/** What other packages use of @patient-risk/data/tables. */
export { BadFile } from './bad-file.ts'
export { decimalMark } from './cell-sql.ts'
export { DataError } from './data-error.ts'
export { EngineMissing, TableEngine, identifier, literal, loadDuckDb } from './engine.ts'
export {
  type ErrorsFormat,
  FORMATS,
  type Format,
  WRITTEN_FORMATS,
  type WrittenFormat,
  formatOf,
  isTextFormat,
} from './formats.ts'
export {
  ENCODINGS,
  STANDARD_INPUT,
  identityOf,
  isAddress,
  isReadOnce,
  listInputs,
  patternRoot,
} from './open-input.ts'
