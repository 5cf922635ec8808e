/** A report, section by section: the same in the page of a model and in the file that `patient-risk learn` writes. */
import type { VNode } from 'preact'
import type { Report } from '../shapes/report.ts'
import { ServiceText } from '../ui/service-text.tsx'
import { CalibrationSection } from './calibration-section.tsx'
import { ChangeSection } from './change-section.tsx'
import { DataSection } from './data-section.tsx'
import { FitSection } from './fit-section.tsx'
import { AssumptionSection, SplitSection, SubgroupSection } from './part-sections.tsx'
import { ReportTiles } from './report-tiles.tsx'
import { ResamplingSection } from './resampling-section.tsx'
import { ThresholdSection } from './threshold-section.tsx'

export function ReportContent(props: {
  readonly report: Report
  /** The threshold in use, which is marked. */
  readonly threshold: number | undefined
}): VNode {
  const { report, threshold } = props
  return (
    <>
      <ReportTiles report={report} />
      {report.warnings?.map((text) => (
        <p key={text} class="notice warn">
          <ServiceText text={text} />
        </p>
      ))}
      <ChangeSection report={report} />
      <DataSection report={report} />
      <CalibrationSection report={report} />
      <ThresholdSection report={report} threshold={threshold} />
      <SubgroupSection report={report} />
      <AssumptionSection report={report} />
      <SplitSection report={report} />
      <ResamplingSection report={report} />
      <FitSection report={report} />
    </>
  )
}
