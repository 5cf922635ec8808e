/** Where one patient of a list is shown: beside the table where there is room, else in a dialog over it. */
import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { useWords } from '../../i18n/words.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useWide } from '../table/use-narrow.ts'

interface PanelFrameProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

export function PanelFrame({ title, onClose, children }: PanelFrameProps): VNode {
  if (useWide()) {
    return (
      <SidePanel title={title} onClose={onClose}>
        {children}
      </SidePanel>
    )
  }
  return (
    <Dialog class="row-detail" title={title} onClose={onClose}>
      {children}
    </Dialog>
  )
}

function SidePanel({ title, onClose, children }: PanelFrameProps): VNode {
  const { t } = useWords()
  const heading = useRef<HTMLHeadingElement>(null)
  const id = useId()
  // A screen reader announces whose panel has opened. With the next patient the focus stays where it is.
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <aside
      class="row-detail card"
      aria-labelledby={id}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose()
      }}
    >
      <div class="detail-head">
        <h2 id={id} tabIndex={-1} ref={heading}>
          {title}
        </h2>
        <Button class="small" onClick={onClose} text={t('close')} />
      </div>
      {children}
    </aside>
  )
}
