/** A choice of one of some values, each with its text. */
import type { JSX, VNode } from 'preact'

interface SelectProps<Value extends string> extends Pick<
  JSX.IntrinsicElements['select'],
  'id' | 'class' | 'disabled' | 'aria-label'
> {
  readonly value: Value
  readonly options: readonly (readonly [value: Value, text: string])[]
  readonly onChange: (value: Value) => void
}

export function Select<Value extends string>({ options, onChange, ...rest }: SelectProps<Value>): VNode {
  return (
    <select {...rest} onChange={(event) => onChange(event.currentTarget.value as Value)}>
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  )
}
