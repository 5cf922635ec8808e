/** `node scripts/backup.ts DATA_DIR FOLDER`: copies the embedded store and its secret while the service runs. */
import { copyFileSync, existsSync, mkdirSync, chmodSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { SqliteDatabase } from '../src/store/sqlite/database.ts'
import { STEPS } from '../src/store/sqlite/migrations.ts'

const [dataDir, folder] = process.argv.slice(2)
if (dataDir === undefined || folder === undefined) {
  process.stderr.write('Usage: node scripts/backup.ts DATA_DIR FOLDER\n')
  process.exit(2)
}
const source = join(dataDir, 'patient-risk.sqlite')
const target = join(folder, 'patient-risk.sqlite')
if (!existsSync(source) || existsSync(target)) {
  process.stderr.write(
    existsSync(target)
      ? `${target} is there already. Give each backup its own folder.\n`
      : `There is no ${source}.\n`,
  )
  process.exit(1)
}
mkdirSync(folder, { recursive: true, mode: 0o700 })
const database = new DatabaseSync(source, { timeout: 10_000 })
const version = database.prepare('PRAGMA user_version').get()?.['user_version']
// Rows that are acknowledged but still wait in a ring, also after a crash. A store of an older version has no rings, and
// must not be brought to the present form by a backup.
if (version === STEPS.length) {
  const store = new SqliteDatabase(source)
  store.takeRings()
  store.close()
}
// One consistent state, whatever is written meanwhile; a plain copy of the file would miss the write-ahead log.
database.prepare('VACUUM INTO ?').run(target)
database.close()
chmodSync(target, 0o600)
const secret = join(dataDir, 'key-secret')
if (existsSync(secret)) copyFileSync(secret, join(folder, 'key-secret'))
process.stdout.write(`Backed up to ${folder}.\n`)
