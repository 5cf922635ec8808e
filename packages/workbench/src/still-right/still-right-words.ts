/** The words of the page "Still right here?", which load with it, beside those of reports. */
import { fillIn, type MessageKey } from '../i18n/translate.ts'
import { useReportWords, type ReportWords } from '../report/report-words.ts'
import english from './messages/en.json'
import spanish from './messages/es.json'

export type RightKey = keyof typeof english

const MESSAGES: Readonly<Record<ReportWords['language'], Readonly<Record<RightKey, string>>>> = {
  en: english,
  es: spanish,
}

type Parts = Readonly<Record<string, string | number>>
export type RightWords = ReturnType<typeof useRightWords>

export function useRightWords() {
  const words = useReportWords()
  const messages = MESSAGES[words.language]
  return {
    ...words,
    /** A text of this page. */
    say: (key: RightKey, parts: Parts = {}): string => fillIn(messages[key], parts),
    /** A text of the page as a whole. */
    t: (key: MessageKey | Parameters<ReportWords['t']>[0], parts: Parts = {}): string => words.t(key, parts),
  }
}
