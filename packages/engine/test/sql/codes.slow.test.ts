/** Codes in printed SQL: the mappings and types of column that codes.test.ts leaves out. */
import { agreeOnCodes } from './code-columns.ts'

agreeOnCodes((mapping, column) => (mapping + column) % 3 !== 0)
