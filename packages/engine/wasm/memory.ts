/** Where the tables are in memory, and what the engine sets before a call. The engine writes these globals; see `write-tables.ts`. */
export let fieldsAt: i32 = 0
export let keysAt: i32 = 0
export let hashAt: i32 = 0
export let hashMask: u32 = 0
export let scalesAt: i32 = 0
export let requiredAt: i32 = 0
export let requiredCount: i32 = 0
export let assumedAt: i32 = 0
export let assumedCount: i32 = 0
export let termsAt: i32 = 0
export let termCount: i32 = 0
export let valuesAt: i32 = 0
export let statesAt: i32 = 0
export let seenAt: i32 = 0
export let carriedAt: i32 = 0
/** Where the states, what was seen and the scales that are carried end: they are adjacent. */
export let statesEnd: i32 = 0
export let carriedListAt: i32 = 0
export let unrecognisedAt: i32 = 0
export let startsAt: i32 = 0
export let endsAt: i32 = 0
export let outsAt: i32 = 0
export let idxsAt: i32 = 0
export let risksAt: i32 = 0
export let capacity: i32 = 0
export let outputAt: i32 = 0
export let outputEnd: i32 = 0
/** The text of every risk, and what comes before and after it in an answer. */
export let textsAt: i32 = 0
export let headAt: i32 = 0
export let tailAt: i32 = 0
export let maxKeys: i32 = 0
export let today: i32 = 0

/** States of a slot, as in `packages/engine/src/plan/slots.ts`. */
export const STATE_ABSENT = 0
export const STATE_VALID = 1
export const STATE_COMPUTED = 2
export const STATE_ASSUMED = 3
