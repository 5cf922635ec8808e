/** Spanish: the texts of the page and those of the service. It is loaded when it is needed. */
import messages from './es.json'
import phrases from './phrases-es.json'
import type { LanguagePack } from './translate.ts'

export const pack: LanguagePack = { messages, phrases }
