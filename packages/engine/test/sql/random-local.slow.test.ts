/** Random tables of models that a hospital has learned or recalibrated. */
import { LOCAL } from './cases.ts'
import { agreeOnRandomTables } from './random-tables.ts'

agreeOnRandomTables(LOCAL, 5_000, [1, 2, 3, 4])
