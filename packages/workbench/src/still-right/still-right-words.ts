/** The words of the page "Still right here?", which load with it, beside those of reports. */
import { fillIn } from '../i18n/translate.ts'
import { useReportWords, type ReportWords } from '../report/report-words.ts'
import english from './messages/en.json'
import spanish from './messages/es.json'

export type RightKey = keyof typeof english

const MESSAGES: Readonly<Record<ReportWords['language'], Readonly<Record<RightKey, string>>>> = {
  en: english,
  es: spanish,
}

type Parts = Readonly<Record<string, string | number>>
export interface RightWords extends ReportWords {
  /** A text of this page. */
  readonly say: (key: RightKey, parts?: Parts) => string
}

export function useRightWords(): RightWords {
  const words = useReportWords()
  const messages = MESSAGES[words.language]
  return {
    ...words,
    say: (key, parts = {}) => fillIn(messages[key], parts),
  }
}
