/**
 * A menu that opens below its button. A choice, a click elsewhere, Escape or leaving it by keyboard closes it, so that it
 * covers nothing for long.
 */
import type { ComponentChildren, VNode } from 'preact'
import { useRef } from 'preact/hooks'
import { useListener } from './use-listener.ts'

export function Menu(props: {
  readonly label: ComponentChildren
  readonly isPrimary?: boolean
  readonly children: ComponentChildren
}): VNode {
  const menu = useRef<HTMLDetailsElement>(null)
  useListener(document, ['pointerdown', 'keydown', 'click', 'focusin'], (event) => {
    const element = menu.current
    if (element?.open !== true) return
    if (event instanceof KeyboardEvent) {
      if (event.key !== 'Escape') return
      if (element.contains(document.activeElement)) element.querySelector('summary')?.focus()
    } else if (event.type === 'click' ? !isChoice(event, element) : element.contains(event.target as Node))
      return
    element.open = false
  })
  return (
    <details class="menu" ref={menu}>
      <summary class={props.isPrimary === true ? 'button primary' : 'button'}>{props.label}</summary>
      <div class="menu-body">{props.children}</div>
    </details>
  )
}

function isChoice({ target }: Event, menu: HTMLDetailsElement): boolean {
  return target instanceof Element && menu.contains(target) && target.closest('button') !== null
}
