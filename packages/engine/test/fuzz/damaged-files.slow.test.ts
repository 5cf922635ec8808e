/** Files with random damage: `score` answers, or refuses the file with a sentence. `SEED=n npm run test:all` repeats a run. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { runHere } from '../../../../test/support/run-command.ts'
import { writeParquet } from '../../../../test/support/table-files.ts'
import { Random } from '../../../../test/support/random.ts'

const FILES = 150
const ROWS = 2_000
const MOST_MS = 60_000
const seed = Number(process.env['SEED'] ?? 1)
const folder = mkdtempSync(join(tmpdir(), 'damaged-'))
after(() => rmSync(folder, { recursive: true }))

/** A name that must not come out anywhere but in the output. */
const NAME = 'Canary'
const TYPES = {
  ...{ idx: 'BIGINT', age: 'INTEGER', sex: 'VARCHAR', inpatientAdmissions: 'INTEGER' },
  ...{ emergencyAdmissions: 'INTEGER', stayDays: 'DOUBLE', name: 'VARCHAR' },
}
const rows = Array.from({ length: ROWS }, (_each, idx) => ({
  ...{ idx, age: 65 + (idx % 30), sex: idx % 2 === 0 ? 'F' : 'M', inpatientAdmissions: idx % 5 },
  ...{ emergencyAdmissions: idx % 7, stayDays: 1 + (idx % 40), name: `${NAME} ${idx}` },
}))
const parquetFile = join(folder, 'whole.parquet')
await writeParquet(parquetFile, TYPES, rows)
const parquet = readFileSync(parquetFile)
const csv = Buffer.from(
  [Object.keys(TYPES), ...rows.map((row) => Object.values(row).map((value) => `"${value}"`))]
    .map((cells) => `${cells.join(',')}\n`)
    .join(''),
)
const lines = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
const array = Buffer.from(JSON.stringify(rows))

const WHOLE: Readonly<Record<string, Uint8Array>> = {
  'in.parquet': parquet,
  'in.parquet.gz': gzipSync(parquet),
  'in.csv': csv,
  'plain.csv': Buffer.from(csv.toString().replaceAll('"', '')),
  'in.csv.gz': gzipSync(csv),
  'in.csv.zst': zstdCompressSync(csv),
  'in.ndjson.gz': gzipSync(lines),
  'in.ndjson.zst': zstdCompressSync(lines),
  'in.json': array,
}

/** Every kind leaves some of the file as it was. */
const DAMAGES: Readonly<Record<string, (bytes: Buffer, random: Random) => Buffer>> = {
  'some bytes changed': (bytes, random) => {
    for (let left = 1 + random.below(20); left > 0; left--)
      bytes[random.below(bytes.length)] = random.below(256)
    return bytes
  },
  'bytes near the end changed': (bytes, random) => {
    for (let left = 1 + random.below(8); left > 0; left--)
      bytes[bytes.length - 1 - random.below(Math.min(bytes.length, 1_000))] = random.below(256)
    return bytes
  },
  'one bit changed': (bytes, random) => {
    const at = random.below(bytes.length)
    bytes[at] = (bytes[at] as number) ^ (1 << random.below(8))
    return bytes
  },
  'a part of one byte': (bytes, random) => {
    const start = random.below(bytes.length)
    return bytes.fill(
      random.pick([0, 0xff, 0x22, 0x0a]),
      start,
      Math.min(bytes.length, start + 1 + random.below(3_000)),
    )
  },
  'cut off': (bytes, random) => bytes.subarray(0, random.below(bytes.length)),
  'a part left out': (bytes, random) => {
    const start = random.below(bytes.length)
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(start + 1 + random.below(500))])
  },
  'a part twice': (bytes, random) => {
    const start = random.below(bytes.length)
    const end = start + 1 + random.below(500)
    return Buffer.concat([bytes.subarray(0, end), bytes.subarray(start)])
  },
}

test(`${FILES} damaged files are answered or refused (SEED=${seed})`, async (context) => {
  const random = new Random(seed)
  const codes = new Map<number | null, number>()
  for (let each = 0; each < FILES; each++) {
    const name = random.pick(Object.keys(WHOLE))
    const damage = random.pick(Object.keys(DAMAGES))
    const path = join(folder, name)
    const whole = Buffer.from(WHOLE[name] as Uint8Array)
    writeFileSync(path, (DAMAGES[damage] as (typeof DAMAGES)[string])(whole, random))
    const what = `file ${each}, ${name}, ${damage}`
    const args = ['score', path, '--output', join(folder, 'out.csv'), '--threads', '1', '--keep', 'name']
    const ran = await Promise.race([
      // What the command does not catch is an exit with 70.
      runHere(args).catch((error: unknown) => assert.fail(`${what}: ${String(error)}`)),
      sleep(MOST_MS, undefined, { ref: false }),
    ])
    assert.ok(ran, `${what}: still at work`)
    // 4: a value that damage has changed for all rows alike is doubted.
    assert.ok([0, 1, 3, 4].includes(ran.code ?? -1), `${what}: exit ${ran.code}`)
    assert.ok(!ran.err.includes(NAME) && !ran.out.includes(NAME), `${what}: quoted`)
    if (ran.code === 1) assert.match(ran.err, /^[^\n]+\.\n$/, what)
    codes.set(ran.code, (codes.get(ran.code) ?? 0) + 1)
  }
  context.diagnostic(`exit codes: ${JSON.stringify([...codes])}`)
})
