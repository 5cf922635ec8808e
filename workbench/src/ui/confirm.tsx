/** A question before something that cannot be undone. Escape and Cancel leave everything as it is. */
import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useWords } from '../i18n/words.ts'
import type { MessageKey } from '../i18n/translate.ts'
import { createState, useShared } from '../state.ts'

export interface Question {
  readonly title: MessageKey
  readonly text: MessageKey
  readonly go: MessageKey
  readonly onGo: () => void
}

const question = createState<Question | undefined>(undefined)

/** Shows a question; `onGo` runs only after its button was pressed. */
export function askFirst(asked: Question): void {
  question.set(asked)
}

/** The place of such questions; the page has one. */
export function Confirm(): VNode {
  const { t } = useWords()
  const asked = useShared(question)
  if (asked === undefined) return <></>
  return (
    <ConfirmDialog
      title={t(asked.title)}
      go={t(asked.go)}
      onGo={() => {
        question.set(undefined)
        asked.onGo()
      }}
      onCancel={() => question.set(undefined)}
    >
      <p>{t(asked.text)}</p>
    </ConfirmDialog>
  )
}

/** A click this soon after the dialog opened is the second one of a double click on what opened it. */
const DOUBLE_CLICK_MS = 700

export function ConfirmDialog(props: {
  readonly title: string
  readonly go: string
  readonly onGo: () => void
  readonly onCancel: () => void
  readonly children: ComponentChildren
}): VNode {
  const { t } = useWords()
  const dialog = useRef<HTMLDialogElement>(null)
  const openedAt = useRef(0)
  useEffect(() => {
    dialog.current?.showModal()
    openedAt.current = performance.now()
  }, [])
  const go = (): void => {
    if (performance.now() - openedAt.current > DOUBLE_CLICK_MS) props.onGo()
  }
  return (
    <dialog class="detail confirm" ref={dialog} aria-labelledby="confirm-title" onClose={props.onCancel}>
      <h2 id="confirm-title">{props.title}</h2>
      {props.children}
      <div class="actions">
        <button type="button" autofocus onClick={() => dialog.current?.close()}>
          {t('progress.cancel')}
        </button>
        <button type="button" class="danger" onClick={go}>
          {props.go}
        </button>
      </div>
    </dialog>
  )
}
