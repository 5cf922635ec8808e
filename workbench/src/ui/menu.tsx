/** A menu that opens below its button. A click elsewhere and Escape close it, so that it covers nothing for longer than it is used. */
import type { ComponentChildren, RefObject, VNode } from 'preact'
import { useRef } from 'preact/hooks'
import { useListener } from './use-listener.ts'

export function Menu(props: {
  readonly label: ComponentChildren
  readonly isPrimary?: boolean
  /** For a caller that closes the menu itself. */
  readonly menu?: RefObject<HTMLDetailsElement | null>
  readonly children: ComponentChildren
}): VNode {
  const own = useRef<HTMLDetailsElement>(null)
  const menu = props.menu ?? own
  useListener(document, ['pointerdown', 'keydown'], (event) => {
    const element = menu.current
    if (element?.open !== true) return
    if (event instanceof KeyboardEvent) {
      if (event.key !== 'Escape') return
      if (element.contains(document.activeElement)) element.querySelector('summary')?.focus()
    } else if (element.contains(event.target as Node)) return
    element.open = false
  })
  return (
    <details class="menu" ref={menu}>
      <summary class={props.isPrimary === true ? 'button primary' : 'button'}>{props.label}</summary>
      <div class="menu-body">{props.children}</div>
    </details>
  )
}
