/** Figures of a report in words. One that could not be worked out is a dash. */
import type { Words } from '../i18n/words.ts'
import type { Estimate, Figure } from '../shapes/report.ts'

export function fixedText(words: Words, value: Figure, decimals: number): string {
  if (value === null) return '–'
  // What rounds to nothing has no sign.
  const held = Math.abs(value) < 0.5 * 10 ** -decimals ? 0 : value
  return words.fixed(held, decimals).replace('-', '−')
}

export function shareText(words: Words, value: Figure, decimals = 1): string {
  return value === null ? '–' : words.percent(value, decimals)
}

export function intervalText(words: Words, { from, to }: Estimate, decimals: number): string {
  return words.t('range', {
    from: fixedText(words, from, decimals),
    to: fixedText(words, to, decimals),
  })
}

/** The interval by samples of patients where there is one, else that of the estimate. */
export function spanOf(estimate: Estimate, byPatient: readonly [Figure, Figure] | undefined): Estimate {
  return byPatient === undefined ? estimate : { ...estimate, from: byPatient[0], to: byPatient[1] }
}

export function shareRange(words: Words, from: number, to: number): string {
  return words.t('range', { from: words.percent(from), to: words.percent(to) })
}
