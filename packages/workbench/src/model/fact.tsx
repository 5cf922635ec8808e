/** A fact of a card: what it is, and what it says. */
import type { ComponentChildren, VNode } from 'preact'

export function Fact(props: { readonly name: string; readonly children: ComponentChildren }): VNode {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>{props.children}</dd>
    </div>
  )
}
