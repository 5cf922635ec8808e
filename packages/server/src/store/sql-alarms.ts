/** Alarms that last until somebody has looked at them, the same in every process and after a restart. No patient data: names alone. */
import type { Alarm, AlarmStore } from '@patient-risk/monitor'
import type { SqlDatabase } from './sql.ts'

const SELECT = `SELECT kind, deployment, key_id AS "keyId", field, basis, likely, reference, state, at FROM alarms
  ORDER BY deployment, key_id, field, kind`
const WRITE = `INSERT INTO alarms (kind, deployment, key_id, field, basis, likely, reference, state, at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  ON CONFLICT (kind, deployment, key_id, field) DO UPDATE SET basis = excluded.basis, likely = excluded.likely,
    reference = excluded.reference, state = excluded.state, at = excluded.at`

export class SqlAlarms implements AlarmStore {
  private readonly database: SqlDatabase

  constructor(database: SqlDatabase) {
    this.database = database
  }

  readAlarms(): Promise<readonly Alarm[]> {
    return this.database.query<Alarm>(SELECT)
  }

  /** An alarm has one row, which holds its last state. */
  async writeAlarm(alarm: Alarm): Promise<void> {
    const { kind, deployment, keyId, field, basis, likely, reference, state, at } = alarm
    await this.database.write(WRITE, kind, deployment, keyId, field, basis, likely, reference, state, at)
  }
}
