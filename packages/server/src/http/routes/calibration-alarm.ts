/** The open alarm of calibration of a deployment, for every answer that has a risk: a header, and a sentence for people. */
import type { FastifyReply } from 'fastify'
import type { Deployment } from '@patient-risk/catalog'
import type { Service } from '../service.ts'

/** The month by which outcomes no longer fitted the risks; undefined where no alarm is open. */
export function alarmMonthOf(
  { alarms }: Pick<Service, 'alarms'>,
  { name, outcomes }: Pick<Deployment, 'name' | 'outcomes'>,
): string | undefined {
  return outcomes && alarms.monthOf(name)
}

/** Writes the header where an alarm is open. Returns its month. */
export function writeCalibrationAlarm(
  service: Pick<Service, 'alarms'>,
  deployment: Deployment,
  reply: FastifyReply,
): string | undefined {
  const month = alarmMonthOf(service, deployment)
  if (month !== undefined) reply.header('risk-calibration-alarm', month)
  return month
}
