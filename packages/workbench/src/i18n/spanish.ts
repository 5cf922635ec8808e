/** Spanish: the texts of the page and those of the service. It is loaded when it is needed, and `translate.ts` checks its keys. */
import messages from './es.json'
import phrases from './phrases-es.json'

export const pack = { messages, phrases }
