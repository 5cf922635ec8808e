/** Languages: their files, and texts in them. */
export { ENGLISH, type Language, type Languages, type Texts } from './language.ts'
export { missingPageWords } from './missing-page-words.ts'
export { type PagePack, pagePacks } from './page-pack.ts'
