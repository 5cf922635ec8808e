/** An alarm: a doubt that lasts until somebody has looked at it. No patient data: names alone. */

/** What an alarm is about. A feed is what one key sends to one deployment. Outcomes raise the alarms of calibration. */
export interface AlarmSubject {
  readonly kind: 'unit' | 'feed' | 'drift' | 'calibration'
  readonly deployment: string
  /** The key of the feed; empty for all records of a deployment. */
  readonly keyId: string
  /** A group, or empty for all patients, where it is about calibration. */
  readonly field: string
}

export interface Alarm extends AlarmSubject {
  /**
   * What the alarm holds for: the unit received, or the model whose profile was compared. With another one it is void. Of
   * calibration the digest of the deployment's state, which may be an earlier one.
   */
  readonly basis: string
  /** The unit that is likely, or what else the values probably are; empty for drift. Of calibration the month by which it was raised. */
  readonly likely: string
  /**
   * What the values were compared with: `absolute`, the feed's own `history`, or the model's `profile`. Of a feed
   * the kind of the doubt. Of calibration the last
   * month that is not counted any more, which was complete at the last acknowledgement; empty before the first.
   */
  readonly reference: string
  /** `confirmed`: the unit received is right, and only the feed's own history counts from then on. */
  readonly state: 'raised' | 'acknowledged' | 'confirmed'
  /** When it came into this state. */
  readonly at: number
}

/** Where alarms last: the same in every process and after a restart. */
export interface AlarmStore {
  readAlarms(): Promise<readonly Alarm[]>
  /** An alarm has one row, which holds its last state. */
  writeAlarm(alarm: Alarm): Promise<void>
}
