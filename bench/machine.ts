/** The machine of a run: what it is, which commit it measured, and what else it did meanwhile. Reads /proc, as all of the benchmark. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from './server-process.ts'

/** Processor time in ticks, since the machine or this process started. */
export interface Ticks {
  readonly all: number
  /** Of programs and of the system on their behalf, without interrupts: these belong to the load of the benchmark. */
  readonly used: number
  /** What the host of a virtual machine gave to others. */
  readonly stolen: number
  /** Of this process and of those that it has started and that have ended. */
  readonly own: number
}

/** More than this share of the processor time for other programs, and a machine is not idle. */
const IDLE_SHARE = 0.05
const LOOK_MS = 5_000
/** What a result depends on. Results of files that differ from their commit cannot be measured again. */
const MEASURED = ['packages', 'bench', 'bin', 'clinical', 'package-lock.json', ':!bench/results.*']

export function describeMachine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown'
  const memory = `${Math.round(totalmem() / 1e9)} GB`
  return `${cpus().length} processors (${model}, ${process.arch}), ${memory}, ${process.platform}, Node ${process.version}`
}

/** The commit of the checkout, and why it is not what was measured. */
export function describeCommit(): { readonly commit: string; readonly faults: readonly string[] } {
  try {
    const git = (...args: readonly string[]): string =>
      execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
    const commit = git('rev-parse', '--short=10', 'HEAD')
    const isClean = git('status', '--porcelain', '--', ...MEASURED) === ''
    return { commit, faults: isClean ? [] : [`files differ from commit ${commit}.`] }
  } catch {
    return { commit: 'unknown', faults: ['this is not a checkout of a known commit.'] }
  }
}

export function readTicks(): Ticks {
  const [first = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
  const ticks = first.split(/\s+/).slice(1, 9).map(Number)
  const [user = 0, nice = 0, system = 0, , , , , stolen = 0] = ticks
  const [, after = ''] = readFileSync('/proc/self/stat', 'utf8').split(') ')
  const own = after
    .split(' ')
    .slice(11, 15)
    .reduce((sum, field) => sum + Number(field), 0)
  return { all: ticks.reduce((sum, each) => sum + each, 0), used: user + nice + system, stolen, own }
}

export interface Watched {
  /** Sentences for the results. */
  readonly notes: readonly string[]
  /** Why the machine was not idle. */
  readonly faults: readonly string[]
}

/** Looks at the machine for some seconds before the run. */
export async function watchBefore(): Promise<Watched> {
  const start = readTicks()
  await sleep(LOOK_MS)
  return judgeBefore(start, readTicks(), loadavg()[0] ?? 0, cpus().length)
}

export function judgeBefore(start: Ticks, end: Ticks, load: number, processors: number): Watched {
  const share = shareOfOthers(start, end)
  const note = `Before the start: load ${load.toFixed(1)} on ${processors} processors, ${percent(share)} of their time in use.`
  const isBusy = share > IDLE_SHARE || load > processors / 2
  return {
    notes: [note],
    faults: isBusy ? [`the machine was busy before the start (load ${load.toFixed(1)}).`] : [],
  }
}

export function judgeRun(start: Ticks, end: Ticks): Watched {
  const share = shareOfOthers(start, end)
  const stolen = (end.stolen - start.stolen) / Math.max(1, end.all - start.all)
  const note = `During the run: other programs took ${percent(share)} of the processor time, the host of the machine ${percent(stolen)}.`
  return {
    notes: [note],
    faults:
      share > IDLE_SHARE
        ? [`other programs took ${percent(share)} of the processor time during the run.`]
        : [],
  }
}

function shareOfOthers(start: Ticks, end: Ticks): number {
  const others = end.used - start.used - (end.own - start.own)
  return Math.max(0, others) / Math.max(1, end.all - start.all)
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}
