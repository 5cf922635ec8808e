/** Asks for the passphrase of a saved list: twice to save one, once to open it. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { useWords } from '../../i18n/words.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { list } from '../list-state.ts'
import { SavedFault } from './saved-fault.ts'
import { openSaved, saveList } from './saved-file.ts'

const SHORTEST = 12

export function SaveDialog({ onClose }: { readonly onClose: () => void }): VNode {
  const { t } = useWords()
  return (
    <Dialog title={t('saved.save')} onClose={onClose}>
      <p class="quiet">{t('saved.about')}</p>
      <PassphraseForm isNew go={t('saved.save')} onGo={(text) => saveList(text).then(onClose)} />
    </Dialog>
  )
}

export function OpenSaved({ bytes }: { readonly bytes: Uint8Array<ArrayBuffer> }): VNode {
  const { t } = useWords()
  return (
    <section class="card" aria-labelledby="saved-title">
      <h2 id="saved-title">{t('saved.open')}</h2>
      <PassphraseForm isNew={false} go={t('saved.open')} onGo={(text) => openSaved(bytes, text)} />
      <Button onClick={() => list.patch({ saved: undefined })} text={t('list.new')} />
    </section>
  )
}

interface PassphraseFormProps {
  readonly isNew: boolean
  readonly go: string
  readonly onGo: (passphrase: string) => Promise<void>
}

function faultOfNew(first: string, again: string): 'short' | 'different' | undefined {
  if (first.length < SHORTEST) return 'short'
  return first === again ? undefined : 'different'
}

function PassphraseForm({ isNew, go, onGo }: PassphraseFormProps): VNode {
  const { t } = useWords()
  const [typed, setTyped] = useState({ first: '', again: '' })
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<SavedFault['reason'] | 'short' | 'different' | undefined>(undefined)
  const submit = async (): Promise<void> => {
    const { first, again } = typed
    const found = isNew ? faultOfNew(first, again) : undefined
    setFault(found)
    if (found !== undefined) return
    setBusy(true)
    try {
      await onGo(first)
    } catch (error) {
      if (!(error instanceof SavedFault)) throw error
      setFault(error.reason)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form
      class="passphrase"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      {(isNew ? (['first', 'again'] as const) : (['first'] as const)).map((name) => (
        <label key={name}>
          <span>{t(`saved.${name}`)}</span>
          <input
            type="password"
            name={name}
            autocomplete={isNew ? 'new-password' : 'off'}
            value={typed[name]}
            aria-describedby={fault === undefined ? undefined : 'saved-fault'}
            onInput={(event) => setTyped({ ...typed, [name]: event.currentTarget.value })}
          />
        </label>
      ))}
      {fault !== undefined && (
        <p class="problem" id="saved-fault" role="alert">
          {t(`saved.${fault}`, { n: SHORTEST })}
        </p>
      )}
      <button type="submit" class="primary" disabled={isBusy}>
        {isBusy ? t('saved.busy') : go}
      </button>
    </form>
  )
}
