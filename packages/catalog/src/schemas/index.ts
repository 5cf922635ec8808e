/**
 * The shapes of the files that people write, as JSON Schemas: `npm run schemas` prints them, and files are checked by them. The
 * engine has the same shapes as plain types; `test/schemas.test.ts` proves both equal. This door loads typebox, the main one does not.
 */
export { closed, maybe, oneOf, positive, recordOf, some, text } from './shape.ts'

export { ModelCasesFile, ScaleCasesFile } from './cases.ts'
export { ContradictionsFile } from './contradictions.ts'
export { LanguageFile } from './language.ts'
export { MappingFile } from './fhir-mapping.ts'
export { FieldsFile } from './field.ts'
export { Card, ModelFile, Threshold } from './model.ts'
export { ScaleFile } from './scale.ts'
export { PointsBand } from './term.ts'
