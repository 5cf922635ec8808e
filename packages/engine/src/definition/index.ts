/**
 * What clinical files say, as plain types, and what follows from them alone: the values that a field permits, the parts of a
 * scale, the shape of a curve or a tree. For programs that read, check, print or write definitions.
 */

/** Fields, and values that contradict each other. */
export type { ContradictionsDefinition } from './contradictions.ts'
export type { FieldDefinition, FieldsDefinition, UnitsDefinition } from './field.ts'
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

/** Scales. */
export { type ChosenBands, schemesInUse } from './band-schemes.ts'
export {
  type PartRole,
  type ScalePart,
  codeMeanings,
  domainIn,
  partsOf,
  recordField,
  scaleForms,
  scaleParts,
} from './scale-domains.ts'
export type {
  BandDefinition,
  BandRuleDefinition,
  BandSchemeDefinition,
  CodingsDefinition,
  DerivedDefinition,
  RedFlagDefinition,
  ScaleDefinition,
  TotalDefinition,
} from './scale.ts'

/** Models and their terms. */
export { bandHolds } from './cover.ts'
export {
  CURVE_KINDS,
  type CurveDefinition,
  type CurveKind,
  type PowerDefinition,
  compileCurve,
  powerAt,
  splineAt,
  splinePart,
} from './curve.ts'
export type {
  CardDefinition,
  Competing,
  LinkDefinition,
  ModelDefinition,
  ProfileDefinition,
} from './model.ts'
export type {
  PointsBandDefinition,
  SimpleTermDefinition,
  SplitDefinition,
  TermDefinition,
  TreeDefinition,
  TreesDefinition,
} from './term.ts'
export { nextUp } from '../expression/double.ts'
export { type TreeNode, edgeOf, fieldsOfTrees, isSplit, splitDomain, treesLabel } from './trees.ts'

/** Checks beyond the shape of a file. They collect every fault. */
export { checkContradictions } from './check/check-contradictions.ts'
export { checkFields, fieldNameFault } from './check/check-fields.ts'
export { checkModel } from './check/check-model.ts'
export { checkScale } from './check/check-scale.ts'
export { fieldsOf } from './check/check-terms.ts'
export { type Fault, FaultList, faultLine } from './fault.ts'
export { nearNames } from './near-names.ts'
