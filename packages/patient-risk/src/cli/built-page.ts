/** Where the build of the page is: in a checkout and in an installed package, the folder beside this package. */
const BUILT = new URL('../../../workbench/built/', import.meta.url)

/** What the service serves. */
export const PAGE_FOLDER = new URL('page/', BUILT)
/** What writes reports as HTML. */
export const REPORT_RENDERER = new URL('report/render-report.js', BUILT)
