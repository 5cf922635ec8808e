/** What other packages use of @patient-risk/catalog/pages. */
export { CARD_POLICY, cardPage, escapeText } from './card-page.ts'
export { bandText, permitted } from './inputs.ts'
export { page, table } from './markdown.ts'
export { horizon, modelPage } from './model-page.ts'
export { scalePage } from './scale-page.ts'
export { servedTerm, treeNumbered, treesOf } from './tree-text.ts'
