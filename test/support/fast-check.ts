/**
 * fast-check with a fixed seed, so that a property fails in every run or in none. Its message names the seed and the path of a failure;
 * `SEED=n` before the command tries another one. Tests import it from here; `fast-check.test.ts` checks that.
 */
import fc from 'fast-check'

export const SEED = Number(process.env['SEED'] ?? 1)

fc.configureGlobal({ seed: SEED })

export { fc }
