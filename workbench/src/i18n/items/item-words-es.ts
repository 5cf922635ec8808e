/** Spanish words on the values of instruments: those of the page, and those of the service by their English. */
import words from './es.json'
import phrases from './phrases-es.json'

export { words, phrases }
