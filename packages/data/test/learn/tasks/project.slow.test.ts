/** The project of docs/learn.md is run as it is written, where the development data are. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { blocksOf } from '../../../../../test/support/document-blocks.ts'
import { newFolder } from '../../../../../test/support/learning.ts'

const data = ['../shared', '../../shared']
  .map((folder) => `${folder}/data/diabetes130-development.csv.gz`)
  .find((path) => existsSync(path))

/** What each block must print, in the order of the page. */
const EXPECTED = [
  /Needed: 690 patients with 76 events/,
  /^$/,
  /^$/,
  /34,404 of 35,586 encounters used, 26,084 patients, 4,149 events[\s\S]*c-statistic {2}0\.6353[\s\S]*pooled/,
  /mean risk {4}0\.1268 predicted, 0\.1083 observed[\s\S]*slope {8}0\.883/,
  /method {7}slope, by closed test/,
  /^$/,
  /17,236 of 17,236 records scored[\s\S]*In control\./,
]

test(
  'the project from sample size to monitoring',
  { skip: data === undefined && 'the development data are not here' },
  () => {
    const folder = newFolder()
    for (const name of ['bin', 'clinical', 'examples', 'node_modules', 'package.json', 'packages']) {
      symlinkSync(resolve(name), join(folder, name))
    }
    writeFileSync(join(folder, 'development.csv'), gunzipSync(readFileSync(data ?? '')))
    const blocks = blocksOf(readFileSync('docs/learn.md', 'utf8')).filter(({ apart }) => apart === 'project')
    assert.equal(blocks.length, EXPECTED.length)
    blocks.forEach(({ text, line }, index) => {
      const script = text.replaceAll('npx patient-risk', `${process.execPath} bin/patient-risk.js`)
      const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', script], {
        cwd: folder,
        encoding: 'utf8',
      })
      assert.equal(status, 0, `docs/learn.md:${line}: ${stderr}`)
      assert.match(stdout.trimEnd(), EXPECTED[index] ?? /^$/, `docs/learn.md:${line}`)
    })
    const first =
      'learn monitor --model own-readmission@1.0.0 --data service.csv --month month --expected-c 0.62'
    const { status } = spawnSync(process.execPath, ['bin/patient-risk.js', ...first.split(' ')], {
      cwd: folder,
      env: { ...process.env, CONFIG: 'config.json' },
    })
    assert.equal(status, 3, 'the first version is out of control in service')
    assert.match(readFileSync(join(folder, 'tripod.md'), 'utf8'), /items are open/)
    // The page on intended use states the evidence of this model, not that of the default model.
    const use = readFileSync(join(folder, 'intended-use.md'), 'utf8')
    assert.match(use, /own-readmission@1\.0\.0: Development: 34,404 encounters/)
    assert.doesNotMatch(use, /kept apart|0\.606|p = 0\.11/)
    assert.match(readFileSync(join(folder, 'monitor.html'), 'utf8'), /<svg/)
  },
)
