/** What `patient-risk learn validate --time` found: the verdict, how the follow-up ended, and the figures, for each reading of a death. */
import type { VNode } from 'preact'
import type { FollowUpReading, FollowUpReport } from '../shapes/follow-up.ts'
import { ServiceText } from '../ui/service-text.tsx'
import { Table, tableRow } from '../ui/table.tsx'
import { CalibrationChart } from './charts/calibration-chart.tsx'
import { LegendKey } from './charts/legend-key.tsx'
import { DataTable } from './data-section.tsx'
import { FollowUpFigures, FollowUpGroups, FollowUpParts } from './follow-up-tables.tsx'
import { useReportWords } from './report-words.ts'
import { Section } from './section.tsx'

export function FollowUpContent({ report }: { readonly report: FollowUpReport }): VNode {
  const { t, number } = useReportWords()
  const { readings, warnings, assumption, data, patients, model } = report
  return (
    <>
      {warnings.map((text) => (
        <p key={text} class="notice warn">
          <ServiceText text={text} />
        </p>
      ))}
      {readings.map((reading) => (
        <ReadingSection key={reading.deathIs} reading={reading} day={model.horizonDays} />
      ))}
      <Section id="data" title={t('report.data')}>
        <p>
          <ServiceText text={assumption} />
        </p>
        <DataTable data={data} more={[tableRow(t('report.patients'), number(patients))]} />
      </Section>
    </>
  )
}

interface ReadingProps {
  readonly reading: FollowUpReading
  readonly day: number
}

function ReadingSection({ reading, day }: ReadingProps): VNode {
  const { t, number, serviceText } = useReportWords()
  const { followed, meaning, meanRiskIs, verdict, intervals, deathIs } = reading
  return (
    <Section id={`death-${deathIs}`} title={serviceText(meaning)}>
      <p class={meanRiskIs === 'fits' ? 'notice' : 'notice warn'}>
        <ServiceText text={verdict} />
      </p>
      <div class="beside">
        <figure>
          <CalibrationChart figures={drawingOf(reading)} />
          <figcaption>
            <LegendKey kind="decile" text={t('report.groupsKey')} />
            <LegendKey kind="ideal" text={t('report.idealKey')} />
          </figcaption>
        </figure>
        <Table
          caption={t('report.followUp.counts', { day })}
          hasTitle
          columns={['', t('report.rows')]}
          rows={[
            tableRow(t('report.followUp.with'), number(followed.events)),
            tableRow(t('report.followUp.diedFirst'), number(followed.diedFirst)),
            tableRow(t('report.followUp.censored'), number(followed.censored)),
            tableRow(t('report.followUp.beyond'), number(followed.followed)),
          ]}
        />
      </div>
      <FollowUpFigures reading={reading} day={day} />
      {intervals !== undefined && (
        <p>
          {t('report.followUp.byPatient', {
            samples: number(intervals.samples),
            seed: String(intervals.seed),
          })}
        </p>
      )}
      <FollowUpGroups reading={reading} />
      <FollowUpParts reading={reading} day={day} />
    </Section>
  )
}

/** The groups as the calibration chart draws them. */
function drawingOf({
  groups,
  meanRisk,
  observed,
}: FollowUpReading): Parameters<typeof CalibrationChart>[0]['figures'] {
  return {
    groups: groups.map((group) => ({
      rows: group.rows,
      events: group.events,
      lowest: group.lowest,
      highest: group.highest,
      predicted: group.meanRisk ?? 0,
      observed: group.observed.value ?? 0,
      from: group.observed.from ?? 0,
      to: group.observed.to ?? 1,
    })),
    calibration: { meanPredicted: meanRisk ?? 0, observed: observed.value ?? 0 },
  }
}
