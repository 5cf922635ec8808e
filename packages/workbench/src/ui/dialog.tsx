/** A dialog with a title and a way to close it. */
import type { ComponentChildren, VNode } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { useWords } from '../i18n/words.ts'
import { Button } from './button.tsx'

export function Dialog(props: {
  readonly title: string
  readonly class?: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}): VNode {
  const { t } = useWords()
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  // At once: an Escape that follows the opening closes it.
  useLayoutEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog class={`detail ${props.class ?? ''}`} ref={dialog} aria-labelledby={id} onClose={props.onClose}>
      <div class="detail-head">
        <h2 id={id}>{props.title}</h2>
        <Button onClick={() => dialog.current?.close()} text={t('close')} />
      </div>
      {props.children}
    </dialog>
  )
}
