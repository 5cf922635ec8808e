/** A button that copies a text, and says for a moment that it did. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { Icon } from './icon.tsx'

export function CopyButton(props: {
  readonly label: string
  readonly done: string
  readonly icon: 'copy' | 'link'
  readonly text: () => string | undefined
  readonly isDisabled?: boolean
}): VNode {
  const [isCopied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    const text = props.text()
    if (text === undefined) return
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 3_000)
  }
  return (
    <>
      <button
        type="button"
        class={`copy-${props.icon}`}
        disabled={props.isDisabled}
        onClick={() => void copy()}
      >
        <Icon name={props.icon} />
        {props.label}
      </button>
      <span role="status">{isCopied ? props.done : ''}</span>
    </>
  )
}
