/**
 * Where things lie in the memory of the byte reader. This file is read twice: by the engine, which writes
 * the tables, and by the AssemblyScript compiler, which reads them; so it holds bare numbers only.
 */

/** The header: one 32-bit place for each of these, in this order, from this address on. */
export const HEADER = 1024
export const H_FIELDS = 0
export const H_KEYS = 4
export const H_HASH = 8
export const H_HASH_MASK = 12
export const H_SCALES = 16
export const H_REQUIRED = 20
export const H_REQUIRED_COUNT = 24
export const H_ASSUMED = 28
export const H_ASSUMED_COUNT = 32
export const H_TERMS = 36
export const H_TERM_COUNT = 40
export const H_STATES = 44
export const H_SEEN = 48
export const H_VALUES = 52
/** Where the states, what was seen and the scales that are carried end: they are adjacent. */
export const H_STATES_END = 56
export const H_CARRIED = 60
export const H_CARRIED_LIST = 64
export const H_TEXTS = 68
export const H_STARTS = 72
export const H_ENDS = 76
export const H_OUTS = 80
export const H_IDXS = 84
export const H_RISKS = 88
export const H_CAPACITY = 92
export const H_OUTPUT = 96
export const H_OUTPUT_END = 100
export const H_MAX_KEYS = 104
export const H_TODAY = 108
export const H_HEAD = 112
export const H_TAIL = 136
/** What is odd about a record that is read otherwise. */
export const H_ODD = 160
/** Written by the reader: how many records it saw, where it stopped, and what it expects next. */
export const H_COUNT = 168
export const H_POSITION = 172
export const H_EXPECT = 176
export const H_WRITTEN = 180
/** Written by the reader for the engine's judgement of a record: how many things are odd, and how many scales are carried. */
export const H_ODD_COUNT = 184
export const H_CARRIED_COUNT = 188
export const HEADER_SIZE = 256

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
/** Longer names are not compared: a record with such a name is the reference's. */
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

/** A scale: how it is settled, and its computations. */
export const SCALE_SIZE = 16
export const S_MODE = 0
export const S_COMPUTATIONS = 4
export const S_COUNT = 8
/** Whether a field that is carried alone has nothing to be settled with. */
export const S_LONELY = 12
export const MODE_NOTHING = 0
export const MODE_SUMS = 1
export const MODE_HOST = 2

/** A plain sum; for a scale that the engine settles, what tells whether there is anything to settle. */
export const SUM_SIZE = 16
export const SUM_TARGET = 0
export const SUM_PARTS = 4
export const SUM_COUNT = 8
export const SUM_FLAGS = 12
export const SUM_COMPARES_PARTLY = 1
export const SUM_FILLS_IN = 2
/** Not a sum: its parts are alternatives of which only one may be given. */
export const SUM_ALTERNATIVES = 4

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

export const STATE_ABSENT = 0
export const STATE_VALID = 1
export const STATE_COMPUTED = 2
export const STATE_ASSUMED = 3

export const EXPECT_FIRST = 0
export const EXPECT_ELEMENT = 1
export const EXPECT_SEPARATOR = 2

export const STATUS_MORE = 0
export const STATUS_END = 1
export const STATUS_FULL = 2
export const STATUS_DOUBT = 3

/** In place of a risk: the reference must look at the bytes of the record. */
export const RISK_LEFT = -2
/** In place of a risk: the engine has judged what the reader has read of the record. */
export const RISK_JUDGED = -3

/** Something odd: its slot and the bytes of its value, or ODD_NAME and the bytes of a name that no field has. */
export const ODD_SIZE = 12
export const O_SLOT = 0
export const O_START = 4
export const O_END = 8
export const ODD_NAME = -1
/** How many things may be odd, and how long each may be; a record with more is the reference's. */
export const ODD_MOST = 8
export const ODD_LONGEST = 64

/** What may be read, never used, after the end of the input. */
export const PADDING = 128
/** Room for one answer. */
export const ANSWER_ROOM = 96
export const TEXT_SIZE = 8
export const TEXT_LENGTH = 7
