/** A whole population from a file: how many records a second, and how much memory, from a thousand to ten million. */
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { thousands } from '../bodies.ts'
import type { Bench } from '../bench.ts'
import { makePayload } from '../payloads.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SIZES = [1_000, 100_000, 1_000_000, 10_000_000]
const KIB = 1_024
const LOOK_EVERY_MS = 50

interface Run {
  readonly seconds: number
  readonly cpuSeconds: number
  readonly peakBytes: number
}

export async function filesPart(bench: Bench): Promise<string> {
  const input = join(bench.folder, 'population.ndjson')
  const lines: string[] = []
  for (const size of SIZES) {
    writeRecords(bench, input, size)
    const { seconds, cpuSeconds, peakBytes } = await scoreFile(input)
    lines.push(
      `| ${size.toLocaleString('en-US')} | ${seconds.toFixed(1)} | ${thousands(size / seconds)} | ${cpuSeconds.toFixed(1)} | ${(peakBytes / 1e6).toFixed(0)} |`,
    )
  }
  rmSync(input)
  const head =
    '| records | seconds, start included | records/s | CPU seconds | largest resident, MB |\n|---|---|---|---|---|'
  return `## Files: \`patient-risk score\` on NDJSON of 10 fields\n\n${head}\n${lines.join('\n')}\n`
}

/** Records of the benchmark's shape over and over, numbered from 0. */
function writeRecords(bench: Bench, path: string, size: number): void {
  const records = JSON.parse(makePayload(bench.plan, '10 fields', 10_000, false).toString()) as object[]
  const tails = records.map((record) => `${JSON.stringify({ ...record, idx: undefined }).slice(1)}\n`)
  const file = openSync(path, 'w')
  for (let idx = 0; idx < size;) {
    let text = ''
    for (const tail of tails) {
      if (idx === size) break
      text += `{"idx":${idx++},${tail}`
    }
    writeSync(file, text)
  }
  closeSync(file)
}

/** One run of the command, watched from outside. */
function scoreFile(input: string): Promise<Run> {
  const output = `${input}.scored.ndjson`
  const words = ['bin/patient-risk.js', 'score', input, '--output', output, '--quiet']
  const start = performance.now()
  const child = spawn(process.execPath, words, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] })
  let peakBytes = 0
  let ticks = 0
  const look = (): void => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      peakBytes = Math.max(peakBytes, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) * KIB)
      const words = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      ticks = Number(words[11]) + Number(words[12])
    } catch {
      // It has ended between two looks.
    }
  }
  const timer = setInterval(look, LOOK_EVERY_MS)
  return new Promise((resolve, reject) => {
    child.on('exit', (code) => {
      clearInterval(timer)
      rmSync(output, { force: true })
      if (code !== 0) reject(new Error('the run over the file failed'))
      else resolve({ seconds: (performance.now() - start) / 1000, cpuSeconds: ticks / 100, peakBytes })
    })
  })
}
