/** The sentences that a reader must know before relying on a report, each where it holds. */
import texts from './texts.json' with { type: 'json' }
import { type Texts, fillIn } from './texts.ts'

export type Warn = (when: boolean, name: keyof typeof texts.warnings, words?: Texts) => void

export function warnInto(warnings: string[]): Warn {
  return (when, name, words = {}) => {
    if (when) warnings.push(fillIn(texts.warnings[name], words, String))
  }
}
