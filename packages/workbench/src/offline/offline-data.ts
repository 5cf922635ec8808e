/** What `patient-risk pack --page` has put into the page: the packed deployment, and what a service answers about it. */
import { parseJson } from 'patient-risk-engine/read'
import { type PackedDeployment, checksumOf } from 'patient-risk-engine'
import type { LanguagePack } from '../i18n/language.ts'
import type { OfflineFacts } from '../service.ts'
import type { DeploymentSummary } from '../shapes/answers.ts'
import type { FieldCatalogue } from '../shapes/fields.ts'
import type { Model } from '../shapes/model.ts'

export interface OfflineData extends OfflineFacts {
  readonly packed: PackedDeployment
  readonly summary: DeploymentSummary
  readonly model: Model
  readonly fields: FieldCatalogue
  /** The languages of the deployment; English is in the page. */
  readonly languages: readonly LanguagePack[]
  /** How the model did on labelled data, where its folder has a report: figures as JSON, and the page that shows them. */
  readonly report?: { readonly json: string; readonly html: string }
}

/** The element of the page that holds the data. It is not run: the policy of the page allows only its own script. */
const PLACE = 'deployment'

/** Undefined for the page as it was built, before a deployment is put into it. Throws where the data were changed. */
export function readOfflineData(): OfflineData | undefined {
  const text = document.getElementById(PLACE)?.textContent ?? ''
  if (text.trim() === '') return undefined
  const { checksum, ...data } = parseJson(text) as OfflineData & { readonly checksum?: string }
  if (checksum !== checksumOf(data))
    throw new Error('Its data were changed or are incomplete: the checksum does not fit. Make it again.')
  return data
}
