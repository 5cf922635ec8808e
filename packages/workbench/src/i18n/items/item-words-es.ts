/** Spanish words on instruments: on the values that have figures only, and the texts of the service by their English. */
import contradictions from './contradictions-es.json'
import words from './es.json'
import meanings from './phrases-es.json'
import scales from './scales-es.json'

export const phrases = { ...meanings, ...scales, ...contradictions }
export { words }
