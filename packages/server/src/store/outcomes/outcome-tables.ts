/**
 * The tables of outcomes (layout 5), written once for both databases. `docs/storage.md` describes them. The step that makes them is
 * released with layout 5 and never changes after that.
 */

/** How a database writes what the two do not write alike. */
interface Dialect {
  readonly integer: string
  readonly text: string
  readonly bytes: string
  /** A number that the database gives each new row. */
  readonly id: string
  /** After the columns of a table, and of one whose rows lie in the order of their key. */
  readonly end: string
  readonly endOfKeyed: string
}

export const SQLITE_DIALECT: Dialect = {
  integer: 'INTEGER',
  text: 'TEXT',
  bytes: 'BLOB',
  id: 'INTEGER PRIMARY KEY',
  end: ' STRICT',
  endOfKeyed: ' STRICT, WITHOUT ROWID',
}

export const POSTGRES_DIALECT: Dialect = {
  integer: 'bigint',
  text: 'text',
  bytes: 'bytea',
  id: 'serial PRIMARY KEY',
  end: '',
  endOfKeyed: '',
}

/** Requests of the layout before are kept as long as those of now, counted from when they came: their months are not known. */
const KEPT_MS = 791 * 86_400_000

/** The table of layout 7: the serial number that the next receipt of a digest and month gets. */
export function receiptTable({ integer, text, endOfKeyed }: Dialect): string {
  return `CREATE TABLE receipt_serials (digest_id ${integer} NOT NULL, month ${text} NOT NULL, next_serial ${integer} NOT NULL,
    PRIMARY KEY (digest_id, month))${endOfKeyed}`
}

/** Makes the tables and moves the counts of layout 4 into them. The statements run one after the other. */
export function outcomeTables({ integer, text, bytes, id, end, endOfKeyed }: Dialect): readonly string[] {
  const table = (
    name: string,
    keys: Readonly<Record<string, string>>,
    values: Readonly<Record<string, string>>,
  ): string => {
    const columns = Object.entries({ ...keys, ...values }).map(
      ([column, type]) => `${column} ${type} NOT NULL`,
    )
    return `CREATE TABLE ${name} (${columns.join(', ')}, PRIMARY KEY (${Object.keys(keys).join(', ')}))${endOfKeyed}`
  }
  const month = { digest_id: integer, month: text }
  const risk = { bin: integer, flagged: integer, kind: integer }
  const sums = { number: integer, units: integer }
  const shadow = { digest_id: integer, shadow_id: integer, month: text }
  const added = ['number', 'units'].map((name) => `CAST(sum(${name}) AS bigint)`).join(', ')
  return [
    `CREATE TABLE outcome_digests (id ${id}, deployment ${text} NOT NULL, digest ${text} NOT NULL,
       UNIQUE (deployment, digest))${end}`,
    table('outcome_counts', { digest_id: integer, grp: text, month: text, ...risk }, sums),
    table('outcome_bins', { ...month, ...risk }, sums),
    table('outcome_totals', { ...month, grp: text, kind: integer }, sums),
    table('outcome_receipts', { ...month, page: integer }, { bits: bytes }),
    table('scored_risks', { ...month, grp: text, bin: integer }, sums),
    table('shadow_counts', { ...shadow, bin: integer, kind: integer }, sums),
    table(
      'shadow_flags',
      { ...shadow, flagged: integer, shadow_flagged: integer, kind: integer },
      { number: integer },
    ),
    `INSERT INTO outcome_digests (deployment, digest)
       SELECT DISTINCT deployment, digest FROM outcomes ORDER BY deployment, digest`,
    `INSERT INTO outcome_counts SELECT d.id, o.grp, o.month, o.bin, o.flagged, o.outcome, o.number, o.units
       FROM outcomes o JOIN outcome_digests d ON d.deployment = o.deployment AND d.digest = o.digest`,
    `INSERT INTO outcome_bins SELECT digest_id, month, bin, flagged, kind, ${added} FROM outcome_counts
       GROUP BY digest_id, month, bin, flagged, kind`,
    `INSERT INTO outcome_totals SELECT digest_id, month, grp, kind, ${added} FROM outcome_counts
       GROUP BY digest_id, month, grp, kind`,
    'DROP TABLE outcomes',
    'ALTER TABLE outcome_requests RENAME COLUMN at TO kept_until',
    `UPDATE outcome_requests SET kept_until = kept_until + ${KEPT_MS}`,
    `ALTER TABLE chain ADD COLUMN carried ${text} NOT NULL DEFAULT '{}'`,
    `ALTER TABLE chain ADD COLUMN carried_seal ${bytes}`,
  ]
}
