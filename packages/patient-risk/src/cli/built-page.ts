/** The build of the page. In a checkout and in an installed package it is in the folder beside this package. */
import type { BuiltPage } from '@patient-risk/server'

const BUILT = new URL('../../../workbench/built/', import.meta.url)

/** Git holds the sources only. `prepare` builds them, unless the packages that it needs were left out. */
export const NOT_BUILT =
  'The page is not built here. Run npm ci without --omit in the checkout: it builds the page.'

/** What the service serves. */
export const BUILT_PAGE: BuiltPage = { folder: new URL('page/', BUILT), notBuilt: NOT_BUILT }

/** What writes reports as HTML. */
export const REPORT_RENDERER = new URL('report/render-report.js', BUILT)

/** The page that works without a service, before a deployment is put into it. */
export const OFFLINE_PAGE = new URL('offline/page.html', BUILT)
