/** `patient-risk audit accept-changes`: takes counts of outcomes and keys as they are, and records that in the chain. */
import { randomUUID } from 'node:crypto'
import { type Differences, acceptanceEntry, verifyStore } from '@patient-risk/server/store'
import { Refusal, command, printNote, printOutput } from '../command.ts'
import { withAudit } from '../with-store.ts'

export const auditAcceptChanges = command({ flags: ['yes'] }, ({ yes }) =>
  withAudit(async ({ store }) => {
    const { differences } = await verifyStore(store, [], { onRetry: printNote })
    if (differences === undefined) return printOutput('Counts and keys are as the audit says.\n')
    if (yes !== true)
      throw new Refusal(
        [...linesOf(differences), 'To accept it: patient-risk audit accept-changes --yes'].join('\n'),
      )
    const row = acceptanceEntry(Date.now(), `command-${randomUUID()}`, differences)
    await store.acceptChanges(differences, row)
    return printOutput(`${[...linesOf(differences), 'Accepted, and recorded in the audit.'].join('\n')}\n`)
  }),
)

function linesOf({ isSealed, keys, outcomes, scored }: Differences): readonly string[] {
  const unknown = isSealed
    ? []
    : ['What is known of keys was changed: its seal does not fit. All keys differ.']
  const ofKeys = keys.map(([id, facts]) => `Key ${id} ${facts === null ? 'is gone' : 'differs'}.`)
  const ofOutcomes = outcomes.map(([deployment, digest, month]) => {
    return `The outcomes of ${month} differ (${placeText(deployment, digest)}).`
  })
  const ofRisks = scored.map(([deployment, digest, month]) => {
    return `The risks counted at scoring in ${month} differ (${placeText(deployment, digest)}).`
  })
  return [...unknown, ...ofKeys, ...ofOutcomes, ...ofRisks]
}

function placeText(deployment: string, digest: string): string {
  return deployment === '' ? 'no deployment' : `deployment ${deployment}, digest ${digest}`
}
