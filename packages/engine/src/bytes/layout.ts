/**
 * The layout of the memory of the byte reader. This file is read twice: by the engine, which writes
 * the tables, and by the AssemblyScript compiler, which reads them; so it holds bare numbers only. Addresses are globals of
 * the reader: `packages/engine/wasm/memory.ts`.
 */

/** A field: what its value must be, and where its key lies. */
export const FIELD_SIZE = 64
export const F_KIND = 0
export const F_DECIMALS = 1
export const F_SCALE = 2
export const F_KEY_LENGTH = 4
export const F_LOW = 16
export const F_HIGH = 20
export const F_TABLE = 24
/** The key that followed this one last time. */
export const F_NEXT = 28
export const F_FROM = 32
export const F_TO = 40
export const F_UNIT = 48
/** Of a decimal: the received number × times ÷ per is in the field's own unit. */
export const F_TIMES = 16
export const F_PER = 48
export const F_CODES = 56

/**
 * A key's pattern, as it stands between two values of a compact text: comma, quote, name, quote, colon. After it the mask of
 * the bytes that must agree, and after that the mask of the name and its closing quote alone.
 */
export const KEY_SIZE = 192
export const K_MASK = 64
export const K_NAME_MASK = 128
/** Longer names are not compared: a record with such a name is left to the reference. */
export const LONGEST_NAME = 47
/** What stands before the name, and around it, in the pattern. */
export const K_BEFORE = 2
export const K_AROUND = 4

export const KIND_REFUSE = 0
export const KIND_INTEGER = 1
export const KIND_LIST = 2
export const KIND_DECIMAL = 3
export const KIND_CODE = 4
export const KIND_YES_NO = 5
export const KIND_DATE = 6
export const KIND_IDX = 7

/** A code: its text with the closing quote, the mask of the bytes that must agree, its length with the quote, its number. */
export const CODE_SIZE = 80
export const C_MASK = 32
export const C_LENGTH = 64
export const C_NUMBER = 72

/** A scale: how it is reconciled, and its computations. */
export const SCALE_SIZE = 16
export const S_MODE = 0
export const S_COMPUTATIONS = 4
export const S_COUNT = 8
/** 1 if no computation of the scale applies when only one field is given. */
export const S_INDEPENDENT = 12
export const MODE_SUMS = 1
export const MODE_HOST = 2

/** A plain sum; for a scale that the engine reconciles, the fields that decide whether it must. */
export const SUM_SIZE = 16
export const SUM_TARGET = 0
export const SUM_PARTS = 4
export const SUM_COUNT = 8
export const SUM_FLAGS = 12
export const SUM_COMPARES_PARTLY = 1
export const SUM_FILLS_IN = 2
/** Not a sum: its parts are alternatives, and only one of them may be given. */
export const SUM_ALTERNATIVES = 4
/** Where the record carries what this rule needs, the engine reconciles the scale, also one of plain sums. */
export const SUM_WATCHED = 8

export const ASSUMED_SIZE = 16
export const A_SLOT = 0
export const A_VALUE = 8

/** A term: points by table for values that can be counted, by a call into the engine for all others. */
export const TERM_SIZE = 40
export const T_TABLE = 0
export const T_SLOT = 4
export const T_LOW = 8
export const T_SPAN = 12
export const T_UNIT = 16
export const T_ABSENT = 24

export const EXPECT_FIRST = 0

export const STATUS_MORE = 0
export const STATUS_END = 1
export const STATUS_FULL = 2
export const STATUS_DOUBT = 3

/** In place of a risk: the reference must look at the bytes of the record. */
export const RISK_LEFT = -2
/** In place of a risk: the engine has judged what the reader has read of the record. */
export const RISK_JUDGED = -3

/** Something that is not recognised: its slot and the bytes of its value, or UNKNOWN_NAME and the bytes of a name that no field has. */
export const UNRECOGNISED_SIZE = 12
export const U_SLOT = 0
export const U_START = 4
export const U_END = 8
export const UNKNOWN_NAME = -1
/** How many of them a record may have; a record with more is left to the reference. */
export const MOST_UNRECOGNISED = 8

/** Bytes after the end of the input that may be read, but are never used. */
export const PADDING = 128
export const TEXT_SIZE = 8
export const TEXT_LENGTH = 7
