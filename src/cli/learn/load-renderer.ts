/** What renders reports as HTML is built with the page. Only a command that writes a report loads it. */
import { existsSync } from 'node:fs'
import { BUILT, NOT_BUILT } from '../../files/built-page.ts'
import { DataError } from '../../learn/data/data-error.ts'

/** The exports of `workbench/src/report/render-report.tsx`, so that types are checked without a build. */
export interface ReportRenderer {
  readonly renderReport: (report: object) => string
  readonly renderMonitoring: (report: object) => string
}

/** Commands call it before their work, so that nothing is computed for a report that cannot be written. */
export async function loadRenderer(): Promise<ReportRenderer> {
  const file = new URL('report/render-report.js', BUILT)
  if (!existsSync(file)) throw new DataError([`Reports are rendered with the page. ${NOT_BUILT}`])
  return (await import(file.href)) as ReportRenderer
}
