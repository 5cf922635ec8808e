/** The keys: who has one, made, replaced and ended here. A new key is shown once. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { ApiFailure } from '../api.ts'
import { useWords } from '../i18n/words.ts'
import { Failure, Loading } from '../ui/status.tsx'
import { listKeys, type KeyInfo, type MadeKey } from './admin-calls.ts'
import { KeyTable } from './key-table.tsx'
import { NewKeyForm } from './new-key-form.tsx'
import { toFailure, useAnswer } from '../use-answer.ts'

export function KeysView(): VNode {
  const { t } = useWords()
  const { answer, failure, again } = useAnswer(listKeys)
  const [made, setMade] = useState<MadeKey | undefined>(undefined)
  const [fault, setFault] = useState<ApiFailure | undefined>(undefined)
  const [isMaking, setMaking] = useState(false)
  const act = async (action: () => Promise<MadeKey | KeyInfo>): Promise<void> => {
    try {
      const result = await action()
      setMade('key' in result ? result : undefined)
      setFault(undefined)
      setMaking(false)
      again()
    } catch (error) {
      setFault(toFailure(error))
    }
  }
  return (
    <section class="card" aria-labelledby="keys-title">
      <div class="section-head">
        <h2 id="keys-title">{t('keys.title')}</h2>
        {!isMaking && (
          <button type="button" class="primary" onClick={() => setMaking(true)}>
            {t('keys.new')}
          </button>
        )}
      </div>
      {made !== undefined && <ShownOnce made={made} onDone={() => setMade(undefined)} />}
      {isMaking && <NewKeyForm onMake={(make) => void act(make)} onCancel={() => setMaking(false)} />}
      {fault !== undefined && <Failure failure={fault} />}
      {failure !== undefined && <Failure failure={failure} onAgain={again} />}
      {answer === undefined && failure === undefined && <Loading text={t('app.loading')} />}
      {answer !== undefined && <KeyTable keys={answer} onAct={(action) => void act(action)} />}
    </section>
  )
}

function ShownOnce(props: { readonly made: MadeKey; readonly onDone: () => void }): VNode {
  const { t } = useWords()
  return (
    <div class="notice warn" role="alert">
      <p>
        <strong>{t('keys.once')}</strong>
      </p>
      <p>
        <code class="new-key">{props.made.key}</code>
      </p>
      <div class="actions">
        <button type="button" onClick={() => void navigator.clipboard.writeText(props.made.key)}>
          {t('keys.copy')}
        </button>
        <button type="button" onClick={props.onDone}>
          {t('keys.stored')}
        </button>
      </div>
    </div>
  )
}
