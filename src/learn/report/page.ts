/** Reports as pages of HTML, rendered by the components of the workbench, so that a file and the page show the same. */
import { renderMonitoring, renderReport } from '../../../workbench/built/report/render-report.js'
import type { MonitorReport } from '../monitor.ts'
import type { Report } from './report.ts'

export function reportPage(report: Report): string {
  return renderReport(report)
}

export function monitorPage(report: MonitorReport): string {
  return renderMonitoring(report)
}
