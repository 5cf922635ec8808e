/**
 * `npm run torture`: tries every part, or those named. Each part first has its own defect planted and must catch it,
 * in the short form; then it runs as it is. Options: --short, --scale SHARE, --seed N, --planted (that alone), --list.
 */
import { randomInt } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Part, Verdict } from './part.ts'

export async function allParts(): Promise<readonly Part[]> {
  const folder = new URL('parts/', import.meta.url)
  const parts: Part[] = []
  for (const file of readdirSync(folder).sort()) {
    const { part } = (await import(new URL(file, folder).href)) as { part: Part }
    parts.push(part)
  }
  return parts
}

/** Tries a part once. The text of a planted trial is the fault that was caught, or that nothing was. */
export async function tryPart(
  part: Part,
  trial: {
    readonly seed: number
    readonly short: boolean
    readonly planted: boolean
    readonly scale?: number
  },
  say: (line: string) => void,
): Promise<Verdict> {
  const scale = trial.short || trial.planted ? part.shortScale : (trial.scale ?? 1)
  const verdict = await part.run({ seed: trial.seed, scale, planted: trial.planted, say })
  if (!trial.planted) return verdict
  return verdict.faults.length > 0
    ? { figures: verdict.figures, faults: [] }
    : { figures: verdict.figures, faults: [`the planted defect was not caught: ${part.defect}`] }
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      short: { type: 'boolean', default: false },
      planted: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      seed: { type: 'string' },
      scale: { type: 'string', default: '1' },
    },
  })
  const parts = await allParts()
  const print = (line: string): void => void process.stdout.write(`${line}\n`)
  if (values.list) {
    for (const { name, promise } of parts) print(`${name.padEnd(16)}${promise}`)
    return 0
  }
  const unknown = positionals.filter((name) => !parts.some((part) => part.name === name))
  if (unknown.length > 0) {
    print(`There is no part ${unknown.join(', ')}. There are ${parts.map(({ name }) => name).join(', ')}.`)
    return 2
  }
  const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed)
  print(`seed ${seed}`)
  let broken = 0
  let skipped = 0
  for (const part of parts.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
    const missing = part.missing?.()
    if (missing !== undefined) {
      print(`${part.name}: skipped, ${missing}`)
      skipped++
      continue
    }
    for (const planted of values.planted ? [true] : [true, false]) {
      const say = (line: string): void => print(`  ${part.name}: ${line}`)
      print(`${part.name}${planted ? ', with a defect planted' : ''}`)
      const start = performance.now()
      const { faults, figures } = await tryPart(
        part,
        { seed, short: values.short, planted, scale: Number(values.scale) },
        say,
      )
      const seconds = ((performance.now() - start) / 1000).toFixed(1)
      for (const [name, figure] of Object.entries(figures)) say(`${name} ${figure}`)
      for (const fault of faults.slice(0, 20)) say(`FAULT ${fault}`)
      say(
        faults.length > 0
          ? `broken after ${seconds} s`
          : planted
            ? `caught in ${seconds} s`
            : `held, ${seconds} s`,
      )
      if (faults.length > 0) broken++
    }
  }
  const untried = skipped === 0 ? '' : ` ${skipped} could not be tried.`
  print((broken === 0 ? 'Every promise that was tried held.' : `${broken} promises are broken.`) + untried)
  return broken === 0 ? 0 : 1
}

// Not by process.exitCode: what a part has left open would keep the process from ending.
if (process.argv[1] === import.meta.filename) process.exit(await main())
