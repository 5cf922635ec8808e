/** The points that follow from a reading, and the band that it lies in: "2 points: Pulse 111 to 130". */
import type { VNode } from 'preact'
import { labelOf } from '../../i18n/field-names.ts'
import { lookUp } from '../../i18n/translate.ts'
import { useWords } from '../../i18n/words.ts'
import type { ScaleState } from '../../shapes/answers.ts'
import type { Field, Scale } from '../../shapes/fields.ts'

export type PointsOfReading = NonNullable<ScaleState['readings']>[number]

export interface ReadingNoteProps {
  readonly found: PointsOfReading
  readonly fields: readonly Field[]
  readonly scale: Scale
}

export function ReadingNote({ found, fields, scale }: ReadingNoteProps): VNode {
  const words = useWords()
  const { points, of, from, above, to, below } = found
  const field = fields.find(({ name }) => name === of)
  const ofRecord = lookUp(words.language, `field.${of}`) ?? of
  const name = field === undefined ? ofRecord : labelOf(words.language, field, scale).text
  const startWithoutFrom = above === undefined ? '' : 'Above'
  const start = from === undefined ? startWithoutFrom : 'From'
  const endWithoutTo = below === undefined ? '' : 'Below'
  const end = to === undefined ? endWithoutTo : 'To'
  const ends = Object.entries({ from, above, to, below }).filter(([, edge]) => edge !== undefined)
  const band = words.t(`reading.band${start}${end}`, {
    name,
    ...Object.fromEntries(ends.map(([key, edge]) => [key, words.number(edge as number)])),
  })
  return (
    <p class="reading-note">
      <strong>{words.count('points', points)}</strong> {band}
    </p>
  )
}

/** Fields in the order of the form, each reading together with the item that it gives the points of. */
export function withReadings(fields: readonly Field[]): readonly (readonly Field[])[] {
  const readingOf = ({ name }: Field): readonly Field[] =>
    fields.filter((each) => each.name === `${name}Reading`)
  const paired = new Set(fields.flatMap(readingOf))
  return fields.filter((field) => !paired.has(field)).map((field) => [...readingOf(field), field])
}
