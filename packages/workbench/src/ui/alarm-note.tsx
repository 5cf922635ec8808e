/** Says beside a number that an alarm of calibration is open for the deployment that gave it. */
import type { VNode } from 'preact'
import { useAlarm } from '../calibration-alarm.ts'
import { useWords } from '../i18n/words.ts'

interface AlarmNoteProps {
  readonly deployment: string
  /** The month that came with the number. */
  readonly answered?: string | undefined
}

export function AlarmNote({ deployment, answered }: AlarmNoteProps): VNode {
  const { t, month } = useWords()
  const alarm = useAlarm(deployment, answered)
  if (alarm === '') return <></>
  return (
    <p class="notice warn alarm-note" role="status">
      <strong>{t('calibration.title', { month: month(alarm) })}</strong> {t('calibration.text')}
    </p>
  )
}

/** The same in a word or two, where there is no room. */
export function AlarmTag({ deployment, answered }: AlarmNoteProps): VNode {
  const { t } = useWords()
  return useAlarm(deployment, answered) === '' ? <></> : <span class="tag warn">{t('calibration.tag')}</span>
}
