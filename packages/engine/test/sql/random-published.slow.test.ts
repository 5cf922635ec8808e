/** Random tables of the models in the catalogue. */
import { PUBLISHED } from './cases.ts'
import { agreeOnRandomTables } from './random-tables.ts'

agreeOnRandomTables(PUBLISHED, 5_000, [1, 2, 3, 4])
