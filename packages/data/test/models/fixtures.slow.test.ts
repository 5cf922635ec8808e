/** Models that the real tools made: each is imported again, or refused for the stated reason. `run.ts` makes them. */
import { readdirSync } from 'node:fs'
import { FIXTURES, isAsItMustBe } from './fixture-tests.ts'

for (const name of readdirSync(FIXTURES)) isAsItMustBe(name)
