/** The words of the page "Still right here?", which load with it, beside those of reports. */
import { say } from '../i18n/translate.ts'
import { useReportWords, type ReportWords } from '../report/report-words.ts'
import english from './messages/en.json' with { type: 'json' }

export type RightKey = keyof typeof english

type Parts = Readonly<Record<string, string | number>>
export interface RightWords extends ReportWords {
  /** A text of this page. */
  readonly say: (key: RightKey, parts?: Parts) => string
}

export function useRightWords(): RightWords {
  const words = useReportWords()
  return {
    ...words,
    say: (key, parts) => say(words.language, key, english[key], parts),
  }
}
