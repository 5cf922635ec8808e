/** What other packages use of patient-risk-engine/words. */
export { DOUBT_SENTENCES, PROBLEM_SENTENCES, SENTENCES } from './sentences.ts'
export { type Part, type Sentence, type Words, inEnglish, nameIn, phraseIn, sentenceIn } from './words.ts'
