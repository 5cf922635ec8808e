/** What other packages use of @patient-risk/catalog. */
export { type Catalog, type CatalogModel, findModel } from './catalog/catalog.ts'
export { icdCodes, isIcdCode, isListedSystem, systemName } from './catalog/code-systems.ts'
export { isFhirType } from './catalog/fhir-types.ts'
export { checkCodes } from './catalog/check-codes.ts'
export { type DecidingSettings, codesDigest, digestText } from './catalog/deployment-digest.ts'
export {
  type Deployment,
  SCORING_PATH,
  type ShadowModel,
  makeDeployments,
  unknownModels,
} from './catalog/deployment.ts'
export {
  type FieldCatalogue,
  type FieldDescription,
  describeDomain,
  describeFields,
  fieldsForKey,
  fieldsOf,
  given,
} from './catalog/describe-fields.ts'
export { FHIR_REASONS } from './languages/fhir-reasons.ts'
export { MODEL_PAGE_TEXTS, SCALE_PAGE_TEXTS } from './catalog/words/page-texts.ts'
export { saidTexts } from './catalog/words/said-texts.ts'
export { CARD_TEXTS, FHIR_TEXTS, REASON_TEXTS, SERVICE_TEXTS } from './catalog/words/service-texts.ts'
export { modelIn, scaleIn } from './catalog/words/described-in.ts'
export { type LanguageWords, missingTexts, wordsOf } from './catalog/words/words-of.ts'
export { type LoadResult, loadCatalog, loadFolders } from './catalog/load.ts'
export {
  type KeyCodes,
  type PortableDeployments,
  packDeployment,
  packDeployments,
  unpackScorers,
  shadowOf,
} from './catalog/portable.ts'
export {
  type ClinicalFile,
  type ClinicalFolder,
  definitionIn,
  readClinicalFile,
  readClinicalFolder,
} from './catalog/read-folder.ts'
export { type CheckEntry, readMapping } from './catalog/read-mapping.ts'
export { GROUP_SYSTEM, isCut, KNOWN_CODES, readMapFiles, readMaps } from './catalog/read-maps.ts'
export { createScaleReader, tryModel } from './catalog/try-cases.ts'
export { fitsSchema, hasShape } from './files/check-shape.ts'
export type { ModelCaseDefinition, ScaleCaseDefinition } from './schemas/cases.ts'
export type {
  CodeMaps,
  FieldMapping,
  LatestMapping,
  MappedCoding,
  MappedWindow,
  Mapping,
  MappingParts,
  Translation,
} from './schemas/fhir-mapping.ts'
