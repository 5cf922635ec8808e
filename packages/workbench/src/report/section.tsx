/** A section of a report under its heading. In a document of its own the headings are one level higher. */
import type { ComponentChildren, VNode } from 'preact'
import { useIsDocument } from './report-words.ts'

export function Section(props: {
  readonly id: string
  readonly title: string
  readonly children: ComponentChildren
}): VNode {
  const id = `${props.id}-title`
  return (
    <section aria-labelledby={id}>
      {useIsDocument() ? <h2 id={id}>{props.title}</h2> : <h3 id={id}>{props.title}</h3>}
      {props.children}
    </section>
  )
}
