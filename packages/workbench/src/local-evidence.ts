/** What a risk meant here: of patients with a similar risk, how many had the event. The service joins or leaves out small counts. */
import type { Components } from '../generated/schema.ts'
import { ask, callOf } from './api.ts'
import type { Words } from './i18n/words.ts'
import { offlineFacts } from './service.ts'
import { onSessionEnd, session } from './session.ts'
import { createState } from './state.ts'

type Evidence = Components['schemas']['LocalEvidence']

/** Of one state of a deployment. */
export const localEvidence = createState<Evidence | undefined>(undefined)
onSessionEnd(() => localEvidence.set(undefined))

/** Asks again where another state of a deployment is shown than the one that is known. */
export async function loadLocalEvidence(digest: string): Promise<void> {
  const current = session.get()
  if (current?.deployment === undefined || offlineFacts() !== undefined) return
  if (localEvidence.get()?.digest === digest) return
  localEvidence.set(undefined)
  const { key, deployment } = current
  try {
    const answer = await ask<Evidence>(key, callOf(deployment.basePath, '/local-evidence'))
    if (session.get()?.key === key) localEvidence.set(answer)
  } catch {
    // The number stands without it.
  }
}

/**
 * "Here, 31 of 100 such patients had the event (of 412 with a risk between 20% and 25%)." Where outcomes are not known: "31 to 36 of 100".
 */
export function evidenceTexts(
  words: Words,
  evidence: Evidence | undefined,
  digest: string,
  risk: number,
): readonly string[] {
  if (evidence?.digest !== digest) return []
  const band = evidence.bands.find(({ from, to }) => risk >= from && (risk < to || to === 1))
  if (band === undefined || band.scored === 0) return []
  const inHundred = (events: number): string => {
    const share = (100 * events) / band.scored
    return words.number(share, share < 10 ? 1 : 0)
  }
  const least = inHundred(band.least)
  const most = inHundred(band.most)
  return [
    words.t('evidence.here', {
      seen: least === most ? least : words.t('evidence.between', { least, most }),
      of: words.number(band.scored),
      from: words.percent(band.from),
      to: words.percent(band.to),
    }),
  ]
}
