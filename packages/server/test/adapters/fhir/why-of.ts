/** Why there is no value, in English; empty where there is one. */
import { inEnglish } from 'patient-risk-engine/words'
import type { Finding } from '../../../src/adapters/fhir/read/finding.ts'

export function whyOf(finding: Finding | undefined): string {
  return finding?.why === undefined ? '' : inEnglish(finding.why)
}
