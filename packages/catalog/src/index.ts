/** What other packages use of @patient-risk/catalog. */
export { type Catalog, type CatalogModel, findModel } from './catalog/catalog.ts'
export { type DecidingSettings, digestText } from './catalog/deployment-digest.ts'
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
  fieldsOf,
  given,
} from './catalog/describe-fields.ts'
export { type LoadResult, loadCatalog, loadFolders } from './catalog/load.ts'
export {
  type PortableDeployments,
  packDeployment,
  packDeployments,
  unpackScorers,
} from './catalog/portable.ts'
export {
  type ClinicalFile,
  type ClinicalFolder,
  definitionIn,
  readClinicalFile,
  readClinicalFolder,
} from './catalog/read-folder.ts'
export { type CheckEntry, readMapping } from './catalog/read-mapping.ts'
export { createScaleReader, tryModel } from './catalog/try-cases.ts'
export { fitsSchema, hasShape } from './files/check-shape.ts'
export type { ModelCaseDefinition, ScaleCaseDefinition } from './schemas/cases.ts'
export type {
  FieldMapping,
  LatestMapping,
  MappedCoding,
  MappedWindow,
  Mapping,
  MappingParts,
} from './schemas/fhir-mapping.ts'
