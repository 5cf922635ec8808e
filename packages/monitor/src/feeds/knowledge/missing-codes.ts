/** Numbers and dates that stand for a missing value in many systems. */

/** 0 and −1, and nines in every length. */
export const MISSING_CODES = [0, -1, 9, 9.9, 99, 99.9, 999, 9999] as const

/** Before this date (YYYYMMDD) lie the default dates of systems: 1900, 1970, and those of no assessment. */
export const EARLIEST_USUAL_DATE = 20_000_101
