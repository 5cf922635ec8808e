/** The verdict in a sentence, the open alarms with what they found, and what to do about them. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { refreshAlarms } from '../calibration-alarm.ts'
import { session } from '../session.ts'
import type { DeploymentSummary } from '../shapes/answers.ts'
import { useShared } from '../state.ts'
import { Button } from '../ui/button.tsx'
import { AcknowledgeDialog } from './acknowledge-dialog.tsx'
import { useRightWords } from './still-right-words.ts'
import { boundsTexts, findingText, type OpenAlarm, type Performance } from './verdict-words.ts'

interface VerdictProps {
  readonly deployment: DeploymentSummary
  readonly answer: Performance
  readonly again: () => void
}

const LOOKS = {
  alarm: 'notice bad',
  acknowledged: 'notice warn',
  quiet: 'notice good',
  quietBlind: 'notice warn',
  notCounted: 'notice warn',
  noOutcomes: 'notice',
  tooFew: 'notice',
} as const

export function VerdictSection({ deployment, answer, again }: VerdictProps): VNode {
  const words = useRightWords()
  const { say, number, month } = words
  const { verdict, alarm, bounds } = answer
  const evidence = { evidence: number(Math.round(alarm.evidence ?? 0)), limit: number(alarm.limit ?? 0) }
  return (
    <section class="card verdict" aria-labelledby="verdict-title">
      <h2 id="verdict-title">{say('right.verdict')}</h2>
      <div class={LOOKS[verdict.kind]}>
        <p class="verdict-said">{say(`right.${verdict.kind}`)}</p>
        {alarm.open.map((each) => (
          <AlarmFound key={`${each.digest} ${each.group ?? ''}`} alarm={each} />
        ))}
      </div>
      {alarm.acknowledged !== null && (
        <p class="quiet">{say('right.since', { month: month(alarm.acknowledged) })}</p>
      )}
      {bounds !== null && (
        <ul class="plain-list">
          {boundsTexts(words, bounds).map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      <p class="quiet">{say(alarm.limit === null ? 'right.unwatched' : 'right.evidence', evidence)}</p>
      {alarm.open.length > 0 && <WhatToDo deployment={deployment} answer={answer} again={again} />}
    </section>
  )
}

function AlarmFound({ alarm }: { readonly alarm: OpenAlarm }): VNode {
  const words = useRightWords()
  const { say, month, date } = words
  const { group, finding, month: by, since } = alarm
  return (
    <p>
      <strong>{`${group ?? say('right.of')}: `}</strong>
      {finding === null ? say('right.noFinding') : findingText(words, finding)}{' '}
      <span class="quiet">{say('right.raised', { month: month(by), day: date(since) })}</span>
    </p>
  )
}

function WhatToDo({ deployment, answer, again }: VerdictProps): VNode {
  const { say } = useRightWords()
  const isAdmin = useShared(session)?.summary.admin === true
  const [asked, setAsked] = useState<OpenAlarm | undefined>(undefined)
  const { open } = answer.alarm
  const nameOf = ({ group }: OpenAlarm): string => group ?? say('right.of')
  const end = (isDone: boolean): void => {
    setAsked(undefined)
    if (!isDone) return
    again()
    void refreshAlarms()
  }
  return (
    <>
      <h3>{say('right.act')}</h3>
      <ol class="steps">
        <li>
          {say('right.act1')} {say('right.season')}
        </li>
        <li>
          {say('right.act2')}
          <code class="command" tabIndex={0}>
            {`npx patient-risk learn recalibrate --model ${answer.model} --data outcomes.csv --outcome outcome --out clinical-local`}
          </code>
        </li>
        <li>
          {say('right.act3')} {!isAdmin && say('right.actWho')}
          {isAdmin && (
            <span class="actions">
              {open.map((each) => (
                <Button
                  key={`${each.digest} ${each.group ?? ''}`}
                  class="small"
                  onClick={() => setAsked(each)}
                  text={
                    open.length === 1
                      ? say('right.acknowledge')
                      : `${say('right.acknowledge')}: ${nameOf(each)}`
                  }
                />
              ))}
            </span>
          )}
        </li>
      </ol>
      {asked !== undefined && (
        <AcknowledgeDialog deployment={deployment} group={asked.group} who={nameOf(asked)} onEnd={end} />
      )}
    </>
  )
}
