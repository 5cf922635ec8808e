/** The properties of a form input: the field, what was typed, and what to do on a change. */
import type { ComponentChildren } from 'preact'
import type { Field } from '../../shapes/fields.ts'

/** What every kind of input shares. */
export interface InputParts {
  readonly field: Field
  readonly typed: string
  readonly placeholder: string | undefined
  readonly onInput: (text: string) => void
  readonly onVisited: () => void
  readonly id: string
  readonly label: string
  readonly heading: ComponentChildren
  /** Identifiers of the texts that describe the input. */
  readonly described: string
  readonly isWrong: boolean
}
