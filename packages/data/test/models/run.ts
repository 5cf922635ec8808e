/**
 * Trains models with the real tools, imports each, and compares all rows: `npm run test:models`. The tools are installed into
 * node_modules/.cache/models. A script of `python` or `r` gets a folder, a tag for names and the folder of public data; it writes a folder
 * for each model, as `import-folder.ts` reads it. With `--fixtures`, small results of made data are kept in
 * `packages/data/test/models/fixtures`.
 */
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { blocksOf } from '../../../../test/support/document-blocks.ts'
import { importFolder } from './import-folder.ts'

const CACHE = resolve('node_modules/.cache/models')
const FIXTURES = 'packages/data/test/models/fixtures'
const DATA = process.env['MODEL_DATA'] ?? resolve('../shared/data')
const MOST_BYTES = 40_000
/** Of older versions only what their files write differently is kept. */
const KEPT = {
  'xgboost-3': /./,
  'xgboost-1': /-(plain|dart|cox|categories-sets-of-codes)$/,
  'lightgbm-4': /./,
  'lightgbm-2': /-(plain|gaps|categories|forest|cross-entropy)$/,
  coefficients: /./,
  sklearn2pmml: /./,
  jpmml: /./,
  'r-pmml': /./,
}
const KEPT_ROWS = 100

/** The packages of each environment, and its scripts. Older versions need older companions. */
const ENVIRONMENTS = {
  'xgboost-1.5': ['xgboost_models.py', 'xgboost==1.5.2 numpy<1.24 pandas<1.6 scikit-learn<1.3'],
  'xgboost-1.7': ['xgboost_models.py', 'xgboost==1.7.6 numpy<2 pandas<2.2 scikit-learn<1.4'],
  'xgboost-2.1': ['xgboost_models.py', 'xgboost==2.1.4 pandas<3 scikit-learn<1.6'],
  'xgboost-3.2': ['xgboost_models.py', 'xgboost==3.2.0 pandas<3 scikit-learn==1.8.0'],
  'lightgbm-2.1': ['lightgbm_models.py', 'lightgbm==2.1.2 numpy<1.24 pandas<1.6 scikit-learn<1.3'],
  'lightgbm-2.3': ['lightgbm_models.py', 'lightgbm==2.3.1 numpy<1.24 pandas<1.6 scikit-learn<1.3'],
  'lightgbm-3.3': ['lightgbm_models.py', 'lightgbm==3.3.5 numpy<2 pandas<2.2 scikit-learn<1.4'],
  'lightgbm-4.7': ['lightgbm_models.py', 'lightgbm==4.7.0 pandas<3 scikit-learn==1.8.0'],
  sklearn2pmml: [
    'pmml_models.py',
    'sklearn2pmml==0.133.1 scikit-learn==1.8.0 xgboost-cpu==3.2.0 lightgbm==4.7.0 pandas<3',
  ],
  jpmml: ['pmml_written.py', 'jpmml_evaluator==0.16.0 pandas<3'],
  coefficients: ['coefficient_models.py', 'statsmodels==0.15.0 lifelines==0.30.3 pandas<3'],
} as const

const asked = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const keeps = process.argv.includes('--fixtures')
const failures: string[] = []

for (const [tag, [script, packages]] of Object.entries(ENVIRONMENTS)) {
  if (!isAsked(tag)) continue
  const python = environment(tag, packages.split(' '))
  if (python === undefined)
    console.log(`${tag}: skipped, because Python, its packages or Java cannot be had here`)
  else await compare(tag, [python, '-B', script], 'packages/data/test/models/python')
}
if (isAsked('r-pmml')) {
  const packages = 'library(survival); library(rpart); library(randomForest); library(pmml)'
  if (spawnSync('Rscript', ['-e', packages]).status === 0)
    await compare('r-pmml', ['Rscript', 'pmml_models.R'], 'packages/data/test/models/r')
  else
    console.log(
      'r-pmml: skipped, because R or one of survival, rpart, randomForest and pmml is not installed',
    )
}
if (asked.length === 0 || asked.includes('page')) await comparePage()
for (const failure of failures) console.error(failure)
process.exitCode = failures.length > 0 ? 1 : 0

function isAsked(tag: string): boolean {
  return asked.length === 0 || asked.some((word) => tag.startsWith(word))
}

/** A Python with these packages; undefined where it cannot be made. */
function environment(tag: string, packages: readonly string[]): string | undefined {
  if (packages.join().includes('pmml') && spawnSync('java', ['-version']).status !== 0) return undefined
  const folder = join(CACHE, tag)
  const python = join(folder, 'bin/python')
  const done = join(folder, 'done')
  if (existsSync(done) && readFileSync(done, 'utf8') === packages.join(' ')) return python
  mkdirSync(CACHE, { recursive: true })
  const steps = [
    ['python3', '-m', 'venv', '--clear', folder],
    [python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages],
  ] as const
  for (const [command, ...args] of steps) if (spawnSync(command, args).status !== 0) return undefined
  writeFileSync(done, packages.join(' '))
  return python
}

/** The lines of the guide, run as it shows them, with its specification. */
async function comparePage(): Promise<void> {
  const python = environment('page', 'xgboost==3.2.0 pandas<3 scikit-learn==1.8.0 pyarrow'.split(' '))
  if (python === undefined) {
    console.log('page: skipped, because Python or its packages cannot be had here')
    return
  }
  const folder = join(CACHE, 'made/page')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const { file, text } of blocksOf(readFileSync('docs/import-a-model.md', 'utf8')))
    if (file !== undefined) writeFileSync(join(folder, file), text)
  const ran = spawnSync(python, ['train.py'], { cwd: folder, encoding: 'utf8' })
  const { text, wrong } = ran.status === 0 ? await importFolder(folder) : { text: '', wrong: ran.stderr }
  console.log(`docs/import-a-model.md: ${text.split('\n')[0] ?? ''}`)
  if (wrong !== undefined) failures.push(`docs/import-a-model.md: ${wrong}`)
}

/** Runs a script and imports every folder that it wrote. */
async function compare(tag: string, [command = '', ...args]: readonly string[], cwd: string): Promise<void> {
  const out = join(CACHE, 'made', tag)
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  const ran = spawnSync(command, [...args, out, tag, DATA], { cwd, encoding: 'utf8' })
  if (ran.status !== 0) failures.push(`${tag}: the script failed\n${ran.stderr}`)
  for (const name of readdirSync(out).sort()) {
    const { text, wrong } = await importFolder(join(out, name))
    const isRefused = existsSync(join(out, name, 'refused.txt'))
    const good = isRefused ? 'refused as it must be' : (text.split('\n')[0] ?? '')
    console.log(`${name}: ${wrong === undefined ? good : 'WRONG'}`)
    if (wrong !== undefined) failures.push(`${name}: ${wrong}`)
    else if (keeps) keep(join(out, name), join(FIXTURES, name))
  }
}

/** Keeps a small model with some of its rows. Rows of patients are never kept. */
function keep(from: string, to: string): void {
  const file = readdirSync(from).find((name) => name.startsWith('model.')) ?? ''
  const kept = Object.entries(KEPT).find(([tag]) => to.includes(`/${tag}`))?.[1]
  if (kept?.test(to) !== true || to.includes('patients') || statSync(join(from, file)).size > MOST_BYTES)
    return
  cpSync(from, to, { recursive: true })
  copyFileSync(join(from, file), join(to, file))
  const lines = readFileSync(join(from, 'rows.csv'), 'utf8').trimEnd().split('\n')
  writeFileSync(join(to, 'rows.csv'), `${lines.slice(0, KEPT_ROWS + 1).join('\n')}\n`)
}
