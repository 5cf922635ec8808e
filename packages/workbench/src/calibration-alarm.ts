/**
 * The open alarms of calibration, by deployment. They stand beside every number, also beside one that was scored before its alarm
 * opened, so the page asks again from time to time.
 */
import { useEffect } from 'preact/hooks'
import { ask } from './api.ts'
import { offlineFacts } from './service.ts'
import { onSessionEnd, session } from './session.ts'
import type { KeySummary } from './shapes/answers.ts'
import { createState, useShared } from './state.ts'

/** The header of answers with the month of an open alarm. */
const HEADER = 'risk-calibration-alarm'
const AGAIN_MS = 300_000

/** The month by which outcomes no longer fitted the risks, by the name of the deployment. */
type Months = Readonly<Record<string, string | undefined>>

const months = createState<Months>({})
onSessionEnd(() => months.set({}))

/** What an answer with risks says of its deployment. Returns the month; an empty text where no alarm is open. */
export function noteAlarm(deployment: string, headers: Headers): string {
  const month = headers.get(HEADER) ?? ''
  if ((months.get()[deployment] ?? '') !== month) months.patch({ [deployment]: month })
  return month
}

export function noteAlarms({ deployments, outcomes }: KeySummary): void {
  const all = [...deployments, ...outcomes]
  months.set(Object.fromEntries(all.map(({ name, calibrationAlarm }) => [name, calibrationAlarm])))
}

export const alarmOf = (deployment: string): string => months.get()[deployment] ?? ''

/** The month of a number: of its answer, else of the alarm that has been opened since. Empty where there is none. */
export function useAlarm(deployment: string, answered = ''): string {
  const now = useShared(months)[deployment] ?? ''
  return answered === '' ? now : answered
}

/** Asks which alarms are open now. What cannot be asked stays as it was. */
export async function refreshAlarms(): Promise<void> {
  const current = session.get()
  if (current === undefined || offlineFacts() !== undefined) return
  try {
    const summary = await ask<KeySummary>(current.key, '/deployments')
    if (session.get()?.key === current.key) noteAlarms(summary)
  } catch {
    // The next call of the page says what is wrong, and this one is asked again.
  }
}

/** Asks when another view is opened, when the page is seen again, and every few minutes. */
export function useAlarmWatch(view: string): void {
  useEffect(() => void refreshAlarms(), [view])
  useEffect(() => {
    const timer = setInterval(() => void refreshAlarms(), AGAIN_MS)
    const look = (): void => {
      if (document.visibilityState === 'visible') void refreshAlarms()
    }
    document.addEventListener('visibilitychange', look)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [])
}
