/** Acknowledges an alarm with a reason of the closed list, which the audit keeps. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { ask, callOf, type ApiFailure } from '../api.ts'
import { session } from '../session.ts'
import type { DeploymentSummary } from '../shapes/answers.ts'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Failure } from '../ui/status.tsx'
import { toFailure } from '../use-answer.ts'
import { useRightWords } from './still-right-words.ts'

const REASONS = ['patients', 'care', 'outcomes', 'inputs', 'season', 'recalibrated', 'unexplained'] as const

interface AcknowledgeProps {
  readonly deployment: DeploymentSummary
  readonly group: string | null
  readonly who: string
  readonly onEnd: (isDone: boolean) => void
}

export function AcknowledgeDialog({ deployment, group, who, onEnd }: AcknowledgeProps): VNode {
  const { say } = useRightWords()
  const [reason, setReason] = useState<'' | (typeof REASONS)[number]>('')
  const [failure, setFailure] = useState<ApiFailure | undefined>(undefined)
  const [isBusy, setBusy] = useState(false)
  const send = async (): Promise<void> => {
    setBusy(true)
    const query = new URLSearchParams({ ...(group === null ? {} : { group }), reason })
    const path = `${callOf(deployment.basePath, '/performance')}/acknowledge?${query.toString()}`
    try {
      await ask(session.get()?.key ?? '', path, { method: 'POST' })
      onEnd(true)
    } catch (error) {
      setFailure(toFailure(error))
      setBusy(false)
    }
  }
  return (
    <Dialog title={say('right.acknowledgeOf', { who })} onClose={() => onEnd(false)}>
      <p>{say('right.acknowledgeHint')}</p>
      <Choice
        class="of-deployment"
        label={say('right.reason')}
        value={reason}
        options={[
          ['', say('right.choose')],
          ...REASONS.map((each) => [each, say(`reason.${each}`)] as const),
        ]}
        onChoose={setReason}
      />
      {failure !== undefined && <Failure failure={failure} />}
      <div class="actions">
        <Button
          class="primary"
          disabled={reason === '' || isBusy}
          onClick={() => void send()}
          text={say('right.acknowledge')}
        />
      </div>
    </Dialog>
  )
}
