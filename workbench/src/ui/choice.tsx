/** One of a few values, with its name above or beside it. */
import type { VNode } from 'preact'

export function Choice<V extends string>(props: {
  readonly label: string
  readonly class?: string
  readonly value: V
  readonly options: readonly (readonly [V, string])[]
  readonly onChoose: (value: V) => void
}): VNode {
  return (
    <label class={props.class}>
      <span>{props.label}</span>
      <select value={props.value} onChange={(event) => props.onChoose(event.currentTarget.value as V)}>
        {props.options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}
