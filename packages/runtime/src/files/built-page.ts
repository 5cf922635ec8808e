/** Where the build of the page is: next to `src` in a checkout, and next to `dist` in an installed package. */
export const BUILT = new URL('../../../workbench/built/', import.meta.url)

/** Git holds the sources only. `prepare` builds them, unless the packages that it needs were left out. */
export const NOT_BUILT =
  'The page is not built here. Run npm ci without --omit in the checkout: it builds the page.'
