/** What other packages use of patient-risk-engine/definition. */
export { type ChosenBands, schemesInUse } from './band-schemes.ts'
export {
  type ModelCaseDefinition,
  ModelCasesFile,
  type ScaleCaseDefinition,
  ScaleCasesFile,
} from './cases.ts'
export { checkContradictions } from './check/check-contradictions.ts'
export { checkFields, fieldNameFault } from './check/check-fields.ts'
export { checkModel } from './check/check-model.ts'
export { checkScale } from './check/check-scale.ts'
export { fieldsOf } from './check/check-terms.ts'
export { type ContradictionsDefinition, ContradictionsFile } from './contradictions.ts'
export { bandHolds } from './cover.ts'
export { type CurveDefinition, compileCurve, powerAt, splineAt, splinePart } from './curve.ts'
export {
  type Domain,
  type Domains,
  codesIn,
  fieldDomain,
  holds,
  narrow,
  permits,
  rangeOf,
  writtenValue,
} from './domain.ts'
export { type Fault, FaultList, faultLine } from './fault.ts'
export {
  type FieldMapping,
  type LatestMapping,
  type MappedCoding,
  type MappedWindow,
  type Mapping,
  MappingFile,
  type MappingParts,
} from './fhir-mapping.ts'
export { type FieldDefinition, type FieldsDefinition, FieldsFile, type UnitsDefinition } from './field.ts'
export {
  Card,
  type CardDefinition,
  type LinkDefinition,
  type ModelDefinition,
  ModelFile,
  type ProfileDefinition,
  Threshold,
} from './model.ts'
export { nearNames } from './near-names.ts'
export {
  type PartRole,
  type ScalePart,
  domainIn,
  partsOf,
  recordField,
  scaleForms,
  scaleParts,
} from './scale-domains.ts'
export {
  type BandSchemeDefinition,
  type DerivedDefinition,
  type ScaleDefinition,
  ScaleFile,
  type TotalDefinition,
} from './scale.ts'
export { closed, maybe, oneOf, positive, recordOf, some, text } from './shape.ts'
export {
  PointsBand,
  type PointsBandDefinition,
  type PowerDefinition,
  type SimpleTermDefinition,
  type SplitDefinition,
  type TermDefinition,
  type TreeDefinition,
  type TreesDefinition,
} from './term.ts'
export { type TreeNode, edgeOf, fieldsOfTrees, isSplit, nextUp, splitDomain, treesLabel } from './trees.ts'
