/** The verdict on a deployment in sentences: direction and size as people say them, and what the alarm cannot notice. */
import type { Components } from '../../generated/schema.ts'
import type { RightWords } from './still-right-words.ts'

export type Performance = Components['schemas']['Performance']
export type OpenAlarm = Components['schemas']['CalibrationAlarm']
export type Finding = NonNullable<OpenAlarm['finding']>

type Words = Pick<RightWords, 'say' | 'number' | 'month' | 'percent'>

/** "Since November 2025 more had the event than expected: at least 31 of 100 where 22 were." */
export function findingText(words: Words, finding: Finding): string {
  const { say, number, month } = words
  const { direction, from, scored, expected, least, most } = finding
  // What holds whatever is not known: the least events against too low, the most against too high.
  const isMore = direction === 'more' || direction === 'tooNarrow'
  const seen = number(perHundred(isMore ? least : most, scored), 1)
  const bound = isMore ? 'right.atLeast' : 'right.atMost'
  return say(`right.${direction}`, {
    month: month(from),
    seen: least === most ? seen : say(bound, { n: seen }),
    expected: number(perHundred(expected, scored), 1),
  })
}

/** Whole numbers read best; below ten a decimal keeps the size. */
function perHundred(events: number, of: number): number {
  const share = of === 0 ? 0 : (100 * events) / of
  return share >= 10 ? Math.round(share) : Math.round(share * 10) / 10
}

/** What is known of everybody who was scored, and which errors the alarm could notice at all. */
export function boundsTexts(words: Words, bounds: NonNullable<Performance['bounds']>): readonly string[] {
  const { say, number, percent } = words
  const { scored, expected, least, most, unknown, tooLow, tooHigh } = bounds
  const between =
    least === most ? number(least) : say('right.between', { least: number(least), most: number(most) })
  const cannot = (atMost: number): Readonly<Record<string, string>> => ({
    unknown: percent(unknown, 1),
    most: percent(atMost, 1),
  })
  return [
    say('right.bounds', {
      scored: number(scored),
      events: between,
      expected: number(expected, expected < 10 ? 1 : 0),
    }),
    tooLow.canNotice ? say('right.tooLowYes') : say('right.tooLowNo', cannot(tooLow.unknownAtMost)),
    tooHigh.canNotice ? say('right.tooHighYes') : say('right.tooHighNo', cannot(tooHigh.unknownAtMost)),
  ]
}
