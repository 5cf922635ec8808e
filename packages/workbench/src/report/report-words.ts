/** The words of reports. They are many and few readers need them, so they load with the report and not with the page. */
import { useContext } from 'preact/hooks'
import { lookUp, say, type MessageKey } from '../i18n/translate.ts'
import { DocumentWords, useWords, type Words } from '../i18n/words.ts'
import type { Estimate, Figure, Range } from '../shapes/report.ts'
import english from './messages/en.json' with { type: 'json' }

type ReportKey = keyof typeof english

export type ReportWords = ReturnType<typeof reportWords>

/** Whether the report is a document of its own, which is read on paper too: nothing is folded away in it. */
export function useIsDocument(): boolean {
  return useContext(DocumentWords) !== undefined
}

export const useReportWords = (): ReportWords => reportWords(useWords())

/** A figure that could not be worked out is a dash. */
function reportWords(words: Words) {
  const t = (key: ReportKey | MessageKey, parts: Readonly<Record<string, string | number>> = {}): string =>
    isReportKey(key) ? say(words.language, key, english[key], parts) : words.t(key, parts)
  const figure = (value: Figure, decimals: number): string => {
    if (value === null) return '–'
    // What rounds to nothing has no sign.
    const held = Math.abs(value) < 0.5 * 10 ** -decimals ? 0 : value
    return words.fixed(held, decimals).replace('-', '−')
  }
  const share = (value: Figure, decimals = 1): string =>
    value === null ? '–' : words.percent(value, decimals).replace('-', '−')
  const range = ({ from, to }: Range, decimals: number): string =>
    t('range', { from: figure(from, decimals), to: figure(to, decimals) })
  return {
    ...words,
    t,
    figure,
    share,
    range,
    shareRange: (from: Figure, to: Figure): string => t('range', { from: share(from), to: share(to) }),
    /** An estimate with its interval. */
    estimate: (estimate: Estimate, decimals: number): string =>
      `${figure(estimate.value, decimals)} (${range(estimate, decimals)})`,
    pValue: (value: number): string => (value < 0.001 ? `< ${figure(0.001, 3)}` : figure(value, 3)),
    /** The name of a field, where the page knows it. */
    field: (name: string): string => lookUp(words.language, `field.${name}`) ?? name,
  }
}

function isReportKey(key: ReportKey | MessageKey): key is ReportKey {
  return Object.hasOwn(english, key)
}
