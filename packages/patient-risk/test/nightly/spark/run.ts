/**
 * `npm run test:spark-nightly`: runs examples/spark/nightly.py with spark-submit, night after night. Skipped where Java 17, Python or the
 * package index is missing.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installPython, skipScript } from '../../../../../test/support/python-packages.ts'
import { type DayRecipe, dayNights } from '../day-nights.ts'
import { COLUMNS } from '../patients.ts'

const JAVA = 17
const java = spawnSync('java', ['-version'], { encoding: 'utf8' })
if (Number(/version "(\d+)/.exec(java.stderr)?.[1] ?? 0) < JAVA)
  skipScript('test:spark-nightly', `Java ${JAVA} or newer is needed.`)
const programs = installPython({ folder: 'spark', packages: ['pyspark==4.0.1'], imports: ['pyspark'] })
if (typeof programs !== 'string') skipScript('test:spark-nightly', programs.missing)
const submit = join(programs, 'spark-submit')
const PYSPARK_PYTHON = join(programs, 'python')

const onSpark: DayRecipe = {
  options: [
    ...['--dialect', 'spark', '--unique', '--source', '--keep', 'day'],
    ...['--columns', `${COLUMNS.replace(',updated_at', '')},day`],
  ],
  night({ root }, statement) {
    const own = ['--sql', statement, '--input', join(root, 'patients'), '--output', join(root, 'risks')]
    const local = [
      '--master',
      'local[1]',
      '--conf',
      'spark.ui.enabled=false',
      '--conf',
      'spark.sql.shuffle.partitions=2',
    ]
    const args = [...local, 'examples/spark/nightly.py', ...own]
    const env = { ...process.env, PYSPARK_PYTHON, PYTHONDONTWRITEBYTECODE: '1' }
    const { status, stdout, stderr } = spawnSync(submit, args, { encoding: 'utf8', env })
    assert.equal(status, 0, stderr.split('\n').slice(-40).join('\n'))
    process.stdout.write(stdout)
    return stdout
  },
  async makeOlder({ root }, day) {
    const path = join(root, 'risks', '_nightly.json')
    const state = JSON.parse(readFileSync(path, 'utf8')) as Record<string, { today: string; future: boolean }>
    const entry = state[day]
    assert.equal(entry?.future, true)
    entry.today = '2026-01-01'
    writeFileSync(path, JSON.stringify(state))
    // The checksum beside it is that of the other content.
    rmSync(join(root, 'risks', '._nightly.json.crc'), { force: true })
    return Promise.resolve()
  },
}

const folder = mkdtempSync(join(tmpdir(), 'patient-risk-spark-nightly-'))
try {
  await dayNights({ folder, root: folder }, onSpark)
  process.stdout.write('every night has scored the days that had changed, with the answers of score\n')
} finally {
  rmSync(folder, { recursive: true, force: true })
}
