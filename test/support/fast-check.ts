/**
 * fast-check with a fixed seed, so that a property fails in every run or in none. Its message names the seed and the path of a failure;
 * `SEED=n` before the command tries another one. Tests import it from here; `fast-check.test.ts` checks that.
 */
import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import fc from 'fast-check'

const FIXED_SEED = 1
export const SEED = Number(process.env['SEED'] ?? FIXED_SEED)
/** Random seeds that have found something. The folder is not in git. */
export const FAILED_SEEDS = process.env['FAILED_SEEDS'] ?? 'reports/failed-seeds.txt'

/** A random seed would be lost with the output of its run. */
function keepSeed({ failed, seed, counterexamplePath }: fc.RunDetails<unknown>): void {
  if (!failed || SEED === FIXED_SEED) return
  mkdirSync(dirname(FAILED_SEEDS), { recursive: true })
  const command = `SEED=${SEED} node --test ${process.argv.slice(1).join(' ')}`
  appendFileSync(FAILED_SEEDS, `${command} # seed ${seed}, path ${counterexamplePath}\n`)
}

// The type of what is configured for all properties does not name plugins; they are taken all the same.
const configured = { seed: SEED, plugins: [() => ({ onAllRunsComplete: keepSeed })] }
fc.configureGlobal(configured)

export { fc }
