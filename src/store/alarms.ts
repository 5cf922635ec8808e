/** Alarms that last until somebody has looked at them, the same in every process and after a restart. No patient data: names alone. */
import { SqlKeys } from './keys/sql-keys.ts'
import type { SqlDatabase } from './sql.ts'

/** What an alarm is about. A feed is what one key sends to one deployment. */
export interface AlarmSubject {
  readonly kind: 'unit' | 'drift'
  readonly deployment: string
  /** The key of the feed; empty for all records of a deployment. */
  readonly keyId: string
  readonly field: string
}

export interface Alarm extends AlarmSubject {
  /** What the alarm holds for: the unit received, or the model whose profile was compared. With another one it is void. */
  readonly basis: string
  /** The unit that is likely; empty for drift. */
  readonly likely: string
  /** What the values were compared with: `absolute`, the feed's own `history`, or the model's `profile`. */
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
    await this.database.query(WRITE, kind, deployment, keyId, field, basis, likely, reference, state, at)
  }
}
