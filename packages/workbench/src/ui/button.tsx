/** A button that acts on the page. It never sends a form. */
import type { JSX, VNode } from 'preact'

type ButtonProps = Omit<JSX.IntrinsicElements['button'], 'type'> & { readonly text: string }

export function Button({ text, ...rest }: ButtonProps): VNode {
  return (
    <button type="button" {...rest}>
      {text}
    </button>
  )
}
