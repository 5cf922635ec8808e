/** The parts of the torture that measure times: `scripts/test.ts` runs them after all other tests, alone. */
import { allParts } from '../run.ts'
import { tryParts } from '../try-parts.ts'

const parts = await allParts()
tryParts(parts.filter(({ isTimed = false }) => isTimed))
