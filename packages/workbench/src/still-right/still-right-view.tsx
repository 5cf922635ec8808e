/** "Still right here?": one verdict for each deployment, what it rests on, and what to do. For keys with outcomes, and administrators. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { ask, callOf } from '../api.ts'
import { session } from '../session.ts'
import type { DeploymentSummary } from '../shapes/answers.ts'
import { useShared } from '../state.ts'
import { OnDemand } from '../ui/on-demand.tsx'
import { Select } from '../ui/select.tsx'
import { Empty } from '../ui/status.tsx'
import { CalibrationSection } from './calibration-section.tsx'
import { CoverageSection } from './coverage-section.tsx'
import { DoubtsSection } from './doubts-section.tsx'
import { GroupsSection, MonthsSection } from './parts-section.tsx'
import { ShadowSection } from './shadow-section.tsx'
import { StatesSection } from './states-section.tsx'
import { useRightWords } from './still-right-words.ts'
import { VerdictSection } from './verdict-section.tsx'
import type { Performance } from './verdict-words.ts'

export function StillRightView(): VNode {
  const { say, t } = useRightWords()
  const current = useShared(session)
  const deployments = current?.summary.outcomes ?? []
  const [name, setName] = useState('')
  // The bar at the top chooses it, where the key may use deployments itself.
  const ofBar = deployments.find((each) => each.name === current?.deployment?.name)
  const chosen = ofBar ?? deployments.find((each) => each.name === name) ?? deployments[0]
  return (
    <div class="operations still-right">
      <div class="view-head">
        <div>
          <h1 tabIndex={-1}>{say('right.title')}</h1>
          <p class="lead">{say('right.lead')}</p>
        </div>
        {ofBar === undefined && deployments.length > 1 && (
          <label class="of-deployment">
            <span>{t('app.deployment')}</span>
            <Select
              value={chosen?.name ?? ''}
              onChange={setName}
              options={deployments.map((each) => [each.name, each.name])}
            />
          </label>
        )}
      </div>
      {chosen === undefined ? (
        <Empty title={t('app.noDeployment')}>
          <p>{say('right.noDeployment')}</p>
        </Empty>
      ) : (
        <OfDeployment key={chosen.name} deployment={chosen} />
      )}
    </div>
  )
}

function OfDeployment({ deployment }: { readonly deployment: DeploymentSummary }): VNode {
  const [digest, setDigest] = useState('')
  const path = callOf(deployment.basePath, '/performance')
  const load = (): Promise<Performance> =>
    ask(session.get()?.key ?? '', digest === '' ? path : `${path}?digest=${encodeURIComponent(digest)}`)
  return (
    <OnDemand
      key={digest}
      load={load}
      draw={(answer, again) => (
        <>
          <VerdictSection deployment={deployment} answer={answer} again={again} />
          <CalibrationSection answer={answer} />
          <CoverageSection answer={answer} />
          <MonthsSection answer={answer} />
          <GroupsSection answer={answer} />
          <StatesSection answer={answer} onShow={setDigest} />
          <ShadowSection deployment={deployment} />
          <DoubtsSection deployment={deployment} />
        </>
      )}
    />
  )
}
