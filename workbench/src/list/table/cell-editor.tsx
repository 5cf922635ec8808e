/** A cell while it is corrected. Enter and leaving the cell keep what was typed, Escape does not. */
import type { VNode } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

export function CellEditor(props: {
  readonly label: string
  readonly text: string
  readonly onDone: (text: string | undefined, isByKey: boolean) => void
}): VNode {
  const input = useRef<HTMLInputElement>(null)
  const isDone = useRef(false)
  useLayoutEffect(() => {
    input.current?.focus()
    input.current?.select()
  }, [])
  // Leaving the cell by any way ends the editing once.
  const finish = (text: string | undefined, isByKey: boolean): void => {
    if (isDone.current) return
    isDone.current = true
    props.onDone(text === props.text ? undefined : text, isByKey)
  }
  return (
    <input
      ref={input}
      class="cell-editor"
      aria-label={props.label}
      defaultValue={props.text}
      onClick={(event) => event.stopPropagation()}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key === 'Enter') finish(event.currentTarget.value, true)
        if (event.key === 'Escape') finish(undefined, true)
      }}
      onBlur={(event) => finish(event.currentTarget.value, false)}
    />
  )
}
