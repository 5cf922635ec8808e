/** How the fields of the released catalogue are found in FHIR resources. */
import { loadMapping } from '../../src/adapters/fhir/load-mapping.ts'
import { faultLine } from '../../src/definition/fault.ts'
import type { Mapping } from '../../src/definition/fhir-mapping.ts'
import { CLINICAL_ROOT, testCatalog } from '../serve.ts'

const loaded = loadMapping(CLINICAL_ROOT, testCatalog())
if (loaded.mapping === undefined) throw new Error(loaded.faults.map(faultLine).join('\n'))
export const mapping: Mapping = loaded.mapping
