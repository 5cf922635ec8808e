/** One of a few values, with its name above or beside it; and a box to tick. */
import type { VNode } from 'preact'
import { Select } from './select.tsx'

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
      <Select value={props.value} options={props.options} onChange={props.onChoose} />
    </label>
  )
}

export function Check(props: {
  readonly label: string
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}): VNode {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={props.isOn}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      <span>{props.label}</span>
    </label>
  )
}
