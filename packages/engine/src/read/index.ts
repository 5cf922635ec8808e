/** What other packages use of patient-risk-engine/read. */
export { ArrayFault, ArrayLines } from './array-lines.ts'
export { decodeText, jsonIn, parseText, parseWithin, scanStructure, withoutMark } from './body.ts'
export { ENGINE_ERRORS, EngineError, type EngineErrorCode } from './engine-error.ts'
export { EARLIEST_DATE, daysBetween, formatDate, parseDate } from './calendar.ts'
export { findJsonFault } from './json-fault.ts'
export { hasEscapedKey, parseJson } from './parse-json.ts'
export { countKeys, findRepeatedKeys, keysIn } from './repeated-keys.ts'
export { type Json, inside, isObject, listOf, parseBody, textOf } from './untrusted.ts'
