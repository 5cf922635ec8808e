/** Random tables of models that have every kind of term, few rows each; the slow tests beside this one have more of both. */
import { CORE } from './cases.ts'
import { agreeOnRandomTables } from './random-tables.ts'

agreeOnRandomTables(CORE, 300, [1])
