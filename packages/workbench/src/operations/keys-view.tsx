/** Lists, makes, replaces and revokes keys. A new key is shown until the administrator confirms that it is stored. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { ApiFailure } from '../api.ts'
import { useWords } from '../i18n/words.ts'
import { useShared } from '../state.ts'
import { Button } from '../ui/button.tsx'
import { Failure, Loading } from '../ui/status.tsx'
import { toFailure, useAnswer } from '../use-answer.ts'
import { listKeys, type KeyInfo, type MadeKey } from './admin-calls.ts'
import { KeyTable } from './key-table.tsx'
import { madeKeys, noteStored, showMadeKey, type ShownKey } from './made-keys.ts'
import { NewKeyForm } from './new-key-form.tsx'

export function KeysView(): VNode {
  const { t } = useWords()
  const { answer, failure, again } = useAnswer(listKeys)
  const made = useShared(madeKeys)
  const [fault, setFault] = useState<ApiFailure | undefined>(undefined)
  const [formFault, setFormFault] = useState<ApiFailure | undefined>(undefined)
  const [isMaking, setMaking] = useState(false)
  const act = async (
    name: string,
    action: () => Promise<MadeKey | KeyInfo>,
    showFault = setFault,
  ): Promise<void> => {
    try {
      const result = await action()
      if ('key' in result) showMadeKey({ ...result, name })
      setFault(undefined)
      setFormFault(undefined)
      setMaking(false)
      again()
    } catch (error) {
      showFault(toFailure(error))
    }
  }
  return (
    <section class="card" aria-labelledby="keys-title">
      <div class="section-head">
        <h2 id="keys-title">{t('keys.title')}</h2>
        {!isMaking && <Button class="primary" onClick={() => setMaking(true)} text={t('keys.new')} />}
      </div>
      {made.map((each) => (
        <NewKeyNote key={each.id} made={each} />
      ))}
      {isMaking && (
        <NewKeyForm
          fault={formFault}
          onMake={(name, make) => void act(name, make, setFormFault)}
          onCancel={() => {
            setFormFault(undefined)
            setMaking(false)
          }}
        />
      )}
      {fault !== undefined && <Failure failure={fault} />}
      {failure !== undefined && <Failure failure={failure} onAgain={again} />}
      {answer === undefined && failure === undefined && <Loading text={t('app.loading')} />}
      {answer !== undefined && <KeyTable keys={answer} onAct={(name, action) => void act(name, action)} />}
    </section>
  )
}

function NewKeyNote({ made }: { readonly made: ShownKey }): VNode {
  const { t } = useWords()
  return (
    <div class="notice warn" role="alert">
      <p>
        <strong>{t('keys.once', { name: made.name })}</strong>
      </p>
      <p>
        <code class="new-key">{made.key}</code>
      </p>
      <div class="actions">
        <Button onClick={() => void navigator.clipboard.writeText(made.key)} text={t('keys.copy')} />
        <Button onClick={() => noteStored(made.id)} text={t('keys.stored')} />
      </div>
    </div>
  )
}
