/** Asks for confirmation before something that cannot be undone. Escape and Cancel change nothing. */
import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useWords } from '../i18n/words.ts'
import type { MessageKey } from '../i18n/translate.ts'
import { onLock } from '../session.ts'
import { createState, useShared } from '../state.ts'
import { Button } from './button.tsx'

export interface Confirmation {
  readonly title: MessageKey
  readonly text: MessageKey
  readonly go: MessageKey
  readonly onGo: () => void
}

const pending = createState<Confirmation | undefined>(undefined)
onLock(() => pending.set(undefined))

/** Asks for confirmation; `onGo` runs only if it is given. */
export function confirmFirst(confirmation: Confirmation): void {
  pending.set(confirmation)
}

/** Shows the pending confirmation. The page has one of these. */
export function Confirm(): VNode {
  const { t } = useWords()
  const current = useShared(pending)
  if (current === undefined) return <></>
  return (
    <ConfirmDialog
      title={t(current.title)}
      go={t(current.go)}
      onGo={() => {
        pending.set(undefined)
        current.onGo()
      }}
      onCancel={() => pending.set(undefined)}
    >
      <p>{t(current.text)}</p>
    </ConfirmDialog>
  )
}

export function ConfirmDialog(props: {
  readonly title: string
  readonly go: string
  readonly onGo: () => void
  readonly onCancel: () => void
  readonly children: ComponentChildren
}): VNode {
  const { t } = useWords()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  const go = (event: MouseEvent): void => {
    // The second click of a double click on what opened the dialog is no answer to it.
    if (event.detail < 2) props.onGo()
  }
  return (
    <dialog class="detail confirm" ref={dialog} aria-labelledby="confirm-title" onClose={props.onCancel}>
      <h2 id="confirm-title">{props.title}</h2>
      {props.children}
      <div class="actions">
        <Button autofocus onClick={() => dialog.current?.close()} text={t('progress.cancel')} />
        <Button class="danger" onClick={go} text={props.go} />
      </div>
    </dialog>
  )
}
