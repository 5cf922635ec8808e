/** Random tables of every model, few rows each; the slow tests beside this one have more of both. */
import { MODELS } from './cases.ts'
import { agreeOnRandomTables } from './random-tables.ts'

agreeOnRandomTables(MODELS, 300, [1])
