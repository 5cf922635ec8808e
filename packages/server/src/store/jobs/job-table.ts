/** The table of jobs, written once for both databases. `docs/storage.md` describes it. The step that makes it is that of layout 6. */

interface Dialect {
  readonly integer: string
  readonly text: string
  readonly bytes: string
  readonly end: string
}

/** No patient data: what was sent and what came of it are files, and `answer` is sealed by the key of the job. */
export function jobTable({ integer, text, bytes, end }: Dialect): readonly string[] {
  return [
    `CREATE TABLE jobs (
       id ${text} PRIMARY KEY, deployment ${text} NOT NULL, digest ${text} NOT NULL, owner ${text} NOT NULL, key_id ${text} NOT NULL,
       request ${text} UNIQUE, body ${text} NOT NULL, state ${text} NOT NULL, created_at ${integer} NOT NULL,
       expires_at ${integer} NOT NULL, lease_until ${integer} NOT NULL, fence ${integer} NOT NULL, tries ${integer} NOT NULL,
       sealed_key ${bytes} NOT NULL, bytes ${integer} NOT NULL, records ${integer}, done ${integer} NOT NULL, facts ${text} NOT NULL,
       checkpoint ${text}, answer ${bytes}
     )${end}`,
    'CREATE INDEX jobs_owner ON jobs (owner)',
  ]
}
