/** `score --changed`: which inputs are scored by the next run, and what the manifest says of them. */
import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type TestContext, after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { tempNames } from '@patient-risk/data/bulk'
import { asLines, cleanRecord, cleanRecords } from '../../../../../test/support/records.ts'
import { runHere } from '../../../../../test/support/run-command.ts'
import { type ManifestEntry, NightlyFolder } from './nightly-folder.ts'

const HEADER = 'idx,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays'

/** A folder after its first run, which each test gets a copy of. */
const FIRST = new NightlyFolder()
before(async () => {
  FIRST.write('a.ndjson', asLines(cleanRecords(3)))
  FIRST.write('b.ndjson', asLines([...cleanRecords(2), { idx: 9, age: 'x' }]))
  FIRST.write('2026/c.ndjson', asLines(cleanRecords(1)))
  assert.match(await FIRST.line(), /^3 of 3 inputs scored \(3 new\), 0 as before\.$/)
})
after(() => FIRST[Symbol.dispose]())
const threeFiles = (): NightlyFolder => FIRST.copy()

test('the second run scores nothing, and the manifest says what every output is', async () => {
  using folder = threeFiles()
  const times = folder.names().map((name) => statSync(join(folder.outputs, name)).mtimeMs)
  assert.deepEqual(folder.names(), ['2026/c.ndjson', 'a.ndjson', 'b.ndjson', 'risk-manifest.json'])
  const { err, code } = await folder.run()
  assert.deepEqual([code, err], [0, '0 of 3 inputs scored, 3 as before.\n'])
  const now = folder.names().map((name) => statSync(join(folder.outputs, name)).mtimeMs)
  assert.deepEqual(now.slice(0, 3), times.slice(0, 3))

  const { files, complete, model, deploymentDigest } = folder.manifest()
  assert.ok(complete)
  assert.match(`${model} ${deploymentDigest}`, /^readmission30@[\d.]+ sha-256=:[\w+/]{43}=:$/)
  assert.deepEqual(Object.keys(files), ['2026/c.ndjson', 'a.ndjson', 'b.ndjson'])
  for (const [name, file] of Object.entries(files)) {
    assert.equal(file.output, name)
    assert.equal(file.sha256, folder.hashOf(name))
    assert.equal(file.input.size, statSync(join(folder.inputs, name)).size)
    assert.deepEqual([file.model, file.deploymentDigest], [model, deploymentDigest])
  }
  const { rows, scored, problems } = files['b.ndjson'] as ManifestEntry
  assert.deepEqual([rows, scored, problems], [3, 2, 5])
})

/** What has changed since the first run, what the next one says, and what the one after it scores: nothing. */
const CHANGES: readonly (readonly [string, (folder: NightlyFolder) => void, RegExp])[] = [
  ['nothing', () => undefined, /^0 of 3 inputs scored, 3 as before\.$/],
  [
    'a new file',
    (folder) => folder.write('2026/d.ndjson', asLines(cleanRecords(2))),
    /^1 of 4 inputs scored \(1 new\), 3 as before\.$/,
  ],
  [
    'a changed file and a new one',
    (folder) => {
      folder.write('a.ndjson', asLines(cleanRecords(4)))
      folder.write('d.ndjson', asLines(cleanRecords(2)))
    },
    /^2 of 4 inputs scored \(1 new, 1 changed\), 2 as before\.$/,
  ],
  ['a file written again with the same content', (folder) => rewrite(folder, (text) => text), /^0 of 3 /],
  [
    'a file with the same size and the same time, which its writer has set back',
    (folder) => rewrite(folder, (text) => text.replace('"age":65', '"age":66')),
    /^1 of 3 inputs scored \(1 changed\)/,
  ],
  [
    'an output that somebody has edited',
    (folder) => writeFileSync(join(folder.outputs, 'a.ndjson'), 'other\n'),
    /^1 of 3 inputs scored \(1 with an output that is lost or not as it was written\)/,
  ],
  ['an output that is gone', (folder) => rmSync(join(folder.outputs, 'a.ndjson')), /^1 of 3 .* lost/],
  [
    'an output that others may read now',
    (folder) => chmodSync(join(folder.outputs, 'a.ndjson'), 0o644),
    /^0 of 3 /,
  ],
  [
    'a manifest that is cut off',
    (folder) => {
      const path = join(folder.outputs, 'risk-manifest.json')
      writeFileSync(path, readFileSync(path, 'utf8').slice(0, -30))
    },
    /^3 of 3 inputs scored \(3 new\)/,
  ],
  [
    'a manifest that leads out of the folder',
    (folder) => {
      const path = join(folder.outputs, 'risk-manifest.json')
      const text = readFileSync(path, 'utf8')
      writeFileSync(path, text.replace('"output": "a.ndjson"', '"output": "../in/a.ndjson"'))
    },
    /^3 of 3 inputs scored \(3 new\)/,
  ],
]
for (const [what, change, line] of CHANGES) {
  test(`after ${what}`, async () => {
    using folder = threeFiles()
    change(folder)
    assert.match(await folder.line(), line)
    assert.match(await folder.line(), /^0 of \d inputs scored, \d as before\.$/)
    for (const [name, { sha256 }] of Object.entries(folder.manifest().files))
      assert.equal(folder.hashOf(name), sha256)
    assert.equal(folder.output('a.ndjson').split('\n').length, what.startsWith('a changed file') ? 5 : 4)
  })
}

/** Writes a file again and sets back its time. */
function rewrite(folder: NightlyFolder, change: (text: string) => string): void {
  const path = join(folder.inputs, 'a.ndjson')
  const { atime, mtime } = statSync(path)
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, change(text))
  utimesSync(path, atime, mtime)
}

test('a settled file is not read again, and its time alone does not hide a change', async (context) => {
  using folder = new NightlyFolder()
  const path = join(folder.inputs, 'a.ndjson')
  // A whole second, which can be set back exactly.
  const time = new Date('2026-11-01T03:00:00Z')
  const write = (age: number): void => {
    writeFileSync(path, asLines([{ ...cleanRecord(1), age }]))
    utimesSync(path, time, time)
  }
  write(70)
  context.mock.timers.enable({ apis: ['Date'], now: Date.now() + 3_600_000 })
  await folder.run()
  assert.ok(folder.manifest().files['a.ndjson']?.input.stamp !== undefined)
  assert.match(await folder.line(), /^0 of 1 /)
  write(71)
  assert.match(await folder.line(), /^1 of 1 inputs scored \(1 changed\)/)
})

test('a manifest of a newer version is refused, and nothing is changed', async () => {
  using folder = threeFiles()
  const path = join(folder.outputs, 'risk-manifest.json')
  const newer = readFileSync(path, 'utf8').replace('"version": 1', '"version": 2')
  writeFileSync(path, newer)
  const { code, err } = await folder.run()
  assert.equal(code, 1)
  assert.match(err, /risk-manifest\.json: is from a newer version; use that, or another folder/)
  assert.equal(readFileSync(path, 'utf8'), newer)
})

test('another model scores every input, and another setting of it too', async () => {
  using folder = threeFiles()
  const deployment = { name: 'one', basePath: '/', model: 'readmission30', output: 'yes-no' } as const
  const config = join(folder.root, 'config.json')
  const withThreshold = (threshold: number): Readonly<Record<string, string>> => {
    writeFileSync(config, JSON.stringify({ deployments: [{ ...deployment, threshold }] }))
    return { CONFIG: config }
  }
  const all = /^3 of 3 inputs scored \(3 for another model or other settings\), 0 as before\.$/
  assert.match(await folder.line(['--model', 'hospital']), all)
  assert.match(folder.manifest().model, /^hospital@/)
  assert.match(await folder.line([], withThreshold(0.15)), all)
  assert.match(await folder.line([], withThreshold(0.16)), all)
  assert.match(await folder.line([], withThreshold(0.16)), /^0 of 3 /)
})

test('another option scores every input, and an output of the old format does not stay', async () => {
  using folder = threeFiles()
  const all = /^3 of 3 inputs scored \(3 for other options or another version of the program\)/
  assert.match(await folder.line(['--notices']), all)
  assert.match(await folder.line(['--notices', '--quiet', '--threads', '2']), /^$/)
  assert.match(await folder.line(['--to', 'json']), all)
  assert.deepEqual(folder.names(), ['2026/c.json', 'a.json', 'b.json', 'risk-manifest.json'])
})

/** The first and the second day, the options, the files that the second run scores. */
const DAYS: readonly (readonly [string, string, string, readonly string[], readonly string[]])[] = [
  ['a day later', '2026-11-18', '2026-11-19', [], ['future.ndjson']],
  ['the same day', '2026-11-18', '2026-11-18', ['--notices'], []],
  ['a day later, with notices', '2026-11-18', '2026-11-19', ['--notices'], ['future.ndjson', 'past.ndjson']],
  ['a day later, with the range alone', '2026-11-18', '2026-11-19', ['--range'], ['future.ndjson']],
  ['a clock that was set back', '2026-11-18', '2026-11-17', [], ['future.ndjson', 'past.ndjson']],
  ['a year later', '2026-11-18', '2027-11-18', [], ['future.ndjson']],
]
for (const [what, first, second, options, expected] of DAYS) {
  test(`the day is part of an answer: ${what}`, async (context) => {
    using folder = new NightlyFolder()
    const dated = (day: string): string => asLines([{ ...cleanRecord(1), barthel_date: day }])
    folder.write('none.ndjson', asLines(cleanRecords(2)))
    folder.write('past.ndjson', dated('01-10-2026'))
    folder.write('future.ndjson', dated('19-11-2026'))
    setDay(context, first)
    await folder.run(options)
    assert.match(folder.output('future.ndjson'), /date in the future/)
    setDay(context, second)
    const line = await folder.line(options)
    assert.match(line, new RegExp(`^${expected.length} of 3 inputs scored`))
    if (expected.length > 0) assert.match(line, new RegExp(`\\(${expected.length} for the new day\\)`))
    const { files } = folder.manifest()
    const again = Object.keys(files).filter((name) => todayOf(files[name]) === second && second !== first)
    assert.deepEqual(again, expected)
    assert.equal(folder.output('future.ndjson').includes('date in the future'), second < '2026-11-19')
  })
}

function todayOf(entry: unknown): string {
  return (entry as { readonly today: string }).today
}

function setDay(context: TestContext, day: string): void {
  context.mock.timers.reset()
  context.mock.timers.enable({ apis: ['Date'], now: Date.parse(`${day}T12:00:00`) })
}

test('the outputs of inputs that are gone stay, until they are to be removed', async () => {
  using folder = threeFiles()
  folder.remove('2026')
  assert.match(
    await folder.line(),
    /^0 of 2 inputs scored, 2 as before, 1 outputs kept whose inputs are gone\.$/,
  )
  assert.equal(folder.manifest().files['2026/c.ndjson']?.gone, true)
  assert.ok(existsSync(join(folder.outputs, '2026', 'c.ndjson')))
  assert.match(await folder.line(['--remove-gone']), /, 1 outputs removed with their inputs\.$/)
  assert.deepEqual(folder.names(), ['a.ndjson', 'b.ndjson', 'risk-manifest.json'])
  assert.ok(!existsSync(join(folder.outputs, '2026')))
  assert.deepEqual(Object.keys(folder.manifest().files), ['a.ndjson', 'b.ndjson'])
})

test('an input that comes back is not scored again', async () => {
  using folder = threeFiles()
  renameSync(join(folder.inputs, 'a.ndjson'), join(folder.root, 'a.ndjson'))
  await folder.run()
  renameSync(join(folder.root, 'a.ndjson'), join(folder.inputs, 'a.ndjson'))
  assert.match(await folder.line(), /^0 of 3 inputs scored, 3 as before\.$/)
  assert.equal(folder.manifest().files['a.ndjson']?.gone, false)
})

test('no output is removed when all inputs are gone, as where a folder is not mounted', async () => {
  using folder = threeFiles()
  const before = folder.names()
  for (const name of ['a.ndjson', 'b.ndjson', '2026']) folder.remove(name)
  const { code, err } = await folder.run(['--remove-gone'])
  assert.deepEqual([code, err], [1, `${folder.inputs}: there is no file to score.\n`])
  assert.deepEqual(folder.names(), before)

  // Another folder is there in its place.
  folder.write('other.ndjson', asLines(cleanRecords(1)))
  const other = await folder.run(['--remove-gone'])
  assert.match(other.err, /None of the inputs of the last run is there.* no output was removed\./)
  assert.deepEqual(folder.names(), [...before, 'other.ndjson'].sort())
})

test('an input that is there and was not named is not gone', async () => {
  using folder = threeFiles()
  const args = ['score', join(folder.inputs, 'a.ndjson'), join(folder.inputs, 'b.ndjson')]
  const { err } = await runHere([...args, '--output-dir', folder.outputs, '--changed', '--remove-gone'])
  assert.match(err, /^0 of 2 inputs scored, 2 as before\.$/m)
  assert.equal(folder.names().length, 4)
})

test('a file that is the only one, deep in the folder, has the same name when others come', async () => {
  using folder = new NightlyFolder()
  folder.write('2026/01/a.ndjson', asLines(cleanRecords(1)))
  await folder.run()
  assert.deepEqual(folder.names(), ['2026/01/a.ndjson', 'risk-manifest.json'])
  folder.write('2026/02/b.ndjson', asLines(cleanRecords(1)))
  assert.match(await folder.line(), /^1 of 2 inputs scored \(1 new\), 1 as before\.$/)
})

/** An input that cannot be read, and what the run says of it. */
const REFUSED: readonly (readonly [string, (folder: NightlyFolder) => void, RegExp])[] = [
  ['is damaged', (folder) => folder.write('b.json', '['), /b\.json: line 1/],
  [
    'is a link to nothing',
    (folder) => symlinkSync('nowhere', join(folder.inputs, 'b.json')),
    /b\.json: there is no such file any more/,
  ],
]
for (const [what, spoil, message] of REFUSED) {
  test(`an input that ${what} costs the others nothing`, async () => {
    using folder = threeFiles()
    folder.write('a.ndjson', asLines(cleanRecords(5)))
    spoil(folder)
    folder.write('d.ndjson', asLines(cleanRecords(1)))
    const { code, err } = await folder.run(['--remove-gone'])
    assert.equal(code, 1)
    assert.match(err, /^2 of 5 inputs scored \(1 new, 1 changed\), 2 as before, 1 refused\.$/m)
    assert.match(err.trimEnd().split('\n').at(-1) ?? '', message)
    assert.ok(!folder.manifest().complete)
    folder.remove('b.json')
    assert.equal(await folder.line(), '0 of 4 inputs scored, 4 as before.')
    assert.ok(folder.manifest().complete)
  })
}

test('a refused input keeps the output that it had, and is scored again when it is whole', async () => {
  using folder = threeFiles()
  folder.write('c.json', JSON.stringify(cleanRecords(2)))
  await folder.run()
  const before = folder.output('c.json')
  folder.write('c.json', '[')
  assert.equal((await folder.run(['--remove-gone'])).code, 1)
  assert.equal(folder.output('c.json'), before)
  assert.equal(folder.manifest().files['c.json']?.sha256, folder.hashOf('c.json'))
  folder.write('c.json', JSON.stringify(cleanRecords(3)))
  assert.match(await folder.line(), /^1 of 4 inputs scored \(1 changed\), 3 as before\.$/)
})

test('an input that has another name now keeps its output, also where those of gone inputs are removed', async () => {
  using folder = threeFiles()
  folder.remove('a.ndjson')
  writeFileSync(join(folder.inputs, 'a.ndjson.gz'), gzipSync(asLines(cleanRecords(4))))
  assert.equal(await folder.line(['--remove-gone']), '1 of 3 inputs scored (1 new), 2 as before.')
  assert.equal(folder.output('a.ndjson').split('\n').length, 5)
  const { files } = folder.manifest()
  assert.deepEqual(Object.keys(files), ['2026/c.ndjson', 'a.ndjson.gz', 'b.ndjson'])
  assert.equal(files['a.ndjson.gz']?.sha256, folder.hashOf('a.ndjson'))
})

test('the exit code is that of all outputs, not of those that were scored', async () => {
  using folder = new NightlyFolder()
  folder.write('bad.ndjson', asLines([{ idx: 1 }, { idx: 2 }]))
  assert.equal((await folder.run()).code, 3)
  const second = await folder.run()
  assert.deepEqual([second.code, second.err.split('\n')[0]], [3, '0 of 1 inputs scored, 1 as before.'])
  folder.write('good.ndjson', asLines(cleanRecords(2)))
  assert.equal((await folder.run()).code, 0)
  const LIMITS = [
    ['unscored=49%', 3],
    ['unscored=50%', 0],
    ['unscored=51%', 0],
  ] as const
  for (const [limit, code] of LIMITS) assert.equal((await folder.run(['--fail-on', limit])).code, code, limit)
})

test('a doubt is named once, by the name of the command, whether its input was scored now or before', async () => {
  using folder = new NightlyFolder()
  folder.write('a.ndjson', asLines([{ ...cleanRecord(1), sex: 'H' }, cleanRecord(2)]))
  const home = process.cwd()
  process.chdir(folder.root)
  try {
    for (const name of ['b.ndjson', 'c.ndjson']) {
      folder.write(name, asLines(cleanRecords(1)))
      const { code, err } = await runHere(['score', 'in', '--output-dir', 'out', '--changed', '--quiet'])
      assert.equal(code, 4)
      assert.deepEqual(
        err
          .split('\n')
          .filter((line) => line.includes('a.ndjson'))
          .map((line) => line.trim().slice(0, 17)),
        ['in/a.ndjson: sex:'],
      )
    }
  } finally {
    process.chdir(home)
  }
})

test('--source says in every result where it comes from', async () => {
  using folder = new NightlyFolder()
  folder.write('a.ndjson', asLines(cleanRecords(1)))
  folder.write('b.csv', `${HEADER}\n1,84,F,2,1,7\n`)
  await folder.run(['--source'])
  const { model, deploymentDigest } = folder.manifest()
  assert.deepEqual(JSON.parse(folder.output('a.ndjson')), {
    ...{ idx: 0, risk: 0.0687, error_message: null },
    ...{ model, deployment_digest: deploymentDigest },
  })
  assert.equal(
    folder.output('b.csv'),
    `idx,risk,error_message,model,deployment_digest\n1,0.2294,,${model},${deploymentDigest}\n`,
  )
})

const USAGE: readonly (readonly [readonly string[], RegExp])[] = [
  [['in', '--changed'], /--changed needs --output-dir/],
  [['in', '--changed', '--output-dir', 'out', '--resume'], /leave out --resume/],
  [['in', '--changed', '--output-dir', 'in'], /lies in the input folder in: the next run would score/],
  [['in', '--changed', '--output-dir', 'in/deep/out'], /lies in the input folder/],
  [['in', '--output-dir', 'out', '--key', 'idx'], /--key goes with --changed/],
  [['in', '--output-dir', 'out', '--remove-gone'], /--remove-gone goes with --changed/],
  [['in', '--output-dir', 'out', '--changed', '--key', 'idx'], /--key is for CSV, Parquet and XLSX/],
  [['s3://bucket/a.parquet', '--output-dir', 'out', '--changed'], /--changed compares files; s3:/],
  [['-', '--output-dir', 'out', '--changed'], /--changed compares files; - is none/],
  [
    ['in/a.csv', '--output-dir', 'out', '--changed', '--key', 'risk'],
    /--key risk: the results already have a column/,
  ],
  [
    ['in/a.csv', '--output-dir', 'out', '--source', '--keep', 'model'],
    /--keep model: the results already have a column/,
  ],
  [['risk-manifest.csv', '--to', 'json', '--output-dir', 'out', '--changed'], /the name of the manifest/],
]
test('wrong usage is refused, and nothing is written', async () => {
  using folder = new NightlyFolder()
  folder.write('a.ndjson', asLines(cleanRecords(1)))
  folder.write('a.csv', `${HEADER}\n`)
  const home = process.cwd()
  process.chdir(folder.root)
  writeFileSync('risk-manifest.csv', `${HEADER}\n`)
  try {
    for (const [args, message] of USAGE) {
      const { code, err } = await runHere(['score', ...args])
      assert.match(err, message)
      assert.equal(code, 2)
      assert.ok(!existsSync('out'))
    }
  } finally {
    process.chdir(home)
  }
})

test('what a run that was killed has left beside an output goes with the next run, also where nothing is scored', async () => {
  using folder = threeFiles()
  const left = tempNames(join(folder.outputs, 'a.ndjson'))
  for (const name of left) writeFileSync(name, 'half')
  const path = join(folder.outputs, 'risk-manifest.json')
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as object
  writeFileSync(path, JSON.stringify({ ...manifest, complete: false }))
  assert.match(await folder.line(), /^0 of 3 inputs scored, 3 as before\.$/)
  assert.deepEqual(left.filter(existsSync), [])
  assert.equal(folder.manifest().complete, true)
})
