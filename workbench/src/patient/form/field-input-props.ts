/** The properties of a form input: the field, what was typed, and what to do on a change. */
import type { ComponentChildren } from 'preact'
import type { ErrorItem } from '../../shapes/answers.ts'
import type { Field, Scale } from '../../shapes/fields.ts'

export interface FieldInputProps {
  readonly field: Field
  readonly scale: Scale | undefined
  readonly typed: string
  readonly problems: readonly ErrorItem[]
  /** Whether the field was left at least once, so that a missing value may be pointed out. */
  readonly isVisited: boolean
  /** Whether its value is being typed at this moment; no error is shown then. */
  readonly isTyping: boolean
  /** The real value, while a what-if is tried. */
  readonly before: string | undefined
  readonly placeholder?: string
  /** What is said below the input: the points of a reading. */
  readonly note?: ComponentChildren
  readonly onInput: (text: string) => void
  readonly onVisited: () => void
}

/** With what every kind of input shares. */
export interface InputParts extends FieldInputProps {
  readonly id: string
  readonly label: string
  readonly heading: ComponentChildren
  /** Identifiers of the texts that describe the input. */
  readonly described: string
  readonly isWrong: boolean
}
