/** What other packages use of @patient-risk/catalog/pages. */
export { CARD_POLICY, cardPage, escapeText } from './card-page.ts'
export { describeCatalogue, describeDeployment, describeModel } from './describe-deployment.ts'
export { bandText, permitted, sayIn } from './inputs.ts'
export { page, table } from './markdown.ts'
export { horizon, modelPage } from './model-page.ts'
export { scalePage } from './scale-page.ts'
export { treeNumbered, treesOf } from './tree-text.ts'
