/** How the fields of the released catalogue are found in FHIR resources. */
import { loadMapping } from '@patient-risk/server/adapters'
import { faultLine } from 'patient-risk-engine/definition'
import type { Mapping } from '@patient-risk/catalog'
import { CLINICAL_ROOT, testCatalog } from './test-catalog.ts'

const loaded = loadMapping([CLINICAL_ROOT], testCatalog())
if (loaded.mapping === undefined) throw new Error(loaded.faults.map(faultLine).join('\n'))
export const mapping: Mapping = loaded.mapping
