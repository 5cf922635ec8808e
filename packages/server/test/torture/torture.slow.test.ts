/** The parts of the torture that measure nothing that other tests could change: they run beside these. */
import { allParts } from './run.ts'
import { tryParts } from './try-parts.ts'

const parts = await allParts()
tryParts(parts.filter(({ isTimed = false }) => !isTimed))
