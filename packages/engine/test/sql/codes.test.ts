/** Codes in printed SQL: each mapping with some types of column, and each type with some mappings. */
import { agreeOnCodes } from './code-columns.ts'

agreeOnCodes((mapping, column) => (mapping + column) % 3 === 0)
