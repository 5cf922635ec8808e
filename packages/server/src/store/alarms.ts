/** Alarms that last until somebody has looked at them, the same in every process and after a restart. No patient data: names alone. */
import { SqlKeys } from './keys/sql-keys.ts'
import type { SqlDatabase } from './sql.ts'

/** What an alarm is about. A feed is what one key sends to one deployment. Outcomes raise the alarms of calibration. */
export interface AlarmSubject {
  readonly kind: 'unit' | 'drift' | 'calibration'
  readonly deployment: string
  /** The key of the feed; empty for all records of a deployment. */
  readonly keyId: string
  /** A group, or empty for all patients, where it is about calibration. */
  readonly field: string
}

export interface Alarm extends AlarmSubject {
  /** What the alarm holds for: the unit received, or the model whose profile was compared: with another one it is
   * void. Of calibration the digest of the deployment's state, which may be an earlier one. */
  readonly basis: string
  /** The unit that is likely; empty for drift. Of calibration the month by which it was raised. */
  readonly likely: string
  /** What the values were compared with: `absolute`, the feed's own `history`, or the model's `profile`. Of calibration the last
   * month that is not counted any more, which was complete at the last acknowledgement; empty before the first. */
  readonly reference: string
  /** `confirmed`: the unit received is right, and only the feed's own history counts from then on. */
  readonly state: 'raised' | 'acknowledged' | 'confirmed'
  /** When it came into this state. */
  readonly at: number
}

const SELECT = `SELECT kind, deployment, key_id AS "keyId", field, basis, likely, reference, state, at FROM alarms
  ORDER BY deployment, key_id, field, kind`
const WRITE = `INSERT INTO alarms (kind, deployment, key_id, field, basis, likely, reference, state, at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  ON CONFLICT (kind, deployment, key_id, field) DO UPDATE SET basis = excluded.basis, likely = excluded.likely,
    reference = excluded.reference, state = excluded.state, at = excluded.at`

export class SqlAlarms<Database extends SqlDatabase = SqlDatabase> extends SqlKeys<Database> {
  readAlarms(): Promise<readonly Alarm[]> {
    return this.database.query<Alarm>(SELECT)
  }

  /** An alarm has one row, which holds its last state. */
  async writeAlarm(alarm: Alarm): Promise<void> {
    const { kind, deployment, keyId, field, basis, likely, reference, state, at } = alarm
    await this.database.write(WRITE, kind, deployment, keyId, field, basis, likely, reference, state, at)
  }
}
