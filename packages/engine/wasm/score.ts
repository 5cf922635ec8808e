/**
 * From slots to a risk. Sums are reconciled here; rules other than plain sums, terms without a table and the link are left to
 * the engine.
 */
import {
  ASSUMED_SIZE,
  A_SLOT,
  A_VALUE,
  FIELD_SIZE,
  F_FROM,
  F_HIGH,
  F_KIND,
  F_LOW,
  F_TABLE,
  F_TO,
  F_UNIT,
  KIND_LIST,
  KIND_REFUSE,
  MODE_SUMS,
  RISK_LEFT,
  SCALE_SIZE,
  SUM_ALTERNATIVES,
  SUM_COMPARES_PARTLY,
  SUM_COUNT,
  SUM_FILLS_IN,
  SUM_FLAGS,
  SUM_PARTS,
  SUM_SIZE,
  SUM_TARGET,
  SUM_WATCHED,
  S_COMPUTATIONS,
  S_COUNT,
  S_INDEPENDENT,
  S_MODE,
  TERM_SIZE,
  T_ABSENT,
  T_LOW,
  T_SLOT,
  T_SPAN,
  T_TABLE,
  T_UNIT,
} from '../src/bytes/layout'
import {
  STATE_ABSENT,
  STATE_ASSUMED,
  STATE_COMPUTED,
  STATE_VALID,
  assumedAt,
  assumedCount,
  carriedAt,
  carriedListAt,
  fieldsAt,
  requiredAt,
  requiredCount,
  scalesAt,
  statesAt,
  termCount,
  termsAt,
  valuesAt,
} from './memory'
import { carriedCount } from './record'

/** Reconciles a scale by the engine's own rules; false when the record must be left to it. */
@external('engine', 'reconcile')
declare function reconcileByEngine(scale: i32): bool

/** The points of a term that has no table. */
@external('engine', 'points')
declare function pointsByEngine(term: i32): f64

/** The risk of a score in ten-thousandths, or a negative number where there is none. */
@external('engine', 'risk')
declare function riskByEngine(score: f64): i32

/** Two figures that differ by less are the same. */
const SAME: f64 = 1e-9
/** Sums are rounded to thousandths. */
const SUM_UNITS: f64 = 1000

/** The risk of the record in the slots, or RISK_LEFT. */
export function scoreRecord(): i32 {
  const states = statesAt
  const values = valuesAt
  if (!reconcileTotals(states, values) || !hasRequired(states)) return RISK_LEFT
  assume(states, values)
  let sum: f64 = 0
  let term = termsAt
  const count = termCount
  for (let i = 0; i < count; i++) {
    const table = load<i32>(term + T_TABLE)
    if (table == 0) {
      sum += pointsByEngine(i)
    } else {
      const slot = load<i32>(term + T_SLOT)
      if (isUsable(states, slot)) {
        const units = <i32>nearest(load<f64>(values + (slot << 3)) * load<f64>(term + T_UNIT))
        const place = units - load<i32>(term + T_LOW)
        if (<u32>place > load<u32>(term + T_SPAN)) return RISK_LEFT
        sum += load<f64>(table + (place << 3))
      } else {
        sum += load<f64>(term + T_ABSENT)
      }
    }
    term += TERM_SIZE
  }
  const risk = riskByEngine(sum)
  return risk < 0 ? RISK_LEFT : risk
}

@inline
function isUsable(states: i32, slot: i32): bool {
  const state = load<u8>(states + slot)
  return state == STATE_VALID || state == STATE_COMPUTED
}

function hasRequired(states: i32): bool {
  let place = requiredAt
  const end = place + (requiredCount << 2)
  while (place < end) {
    if (!isUsable(states, load<i32>(place))) return false
    place += 4
  }
  return true
}

/** Fills in the values that the model states for absence. */
function assume(states: i32, values: i32): void {
  let place = assumedAt
  const end = place + assumedCount * ASSUMED_SIZE
  while (place < end) {
    const slot = load<i32>(place + A_SLOT)
    if (!isUsable(states, slot)) {
      store<f64>(values + (slot << 3), load<f64>(place + A_VALUE))
      store<u8>(states + slot, STATE_ASSUMED)
    }
    place += ASSUMED_SIZE
  }
}

function reconcileTotals(states: i32, values: i32): bool {
  const list = carriedListAt
  const scales = scalesAt
  const carried = carriedAt
  for (let i = 0; i < carriedCount; i++) {
    const index = <i32>load<u16>(list + (i << 1))
    const scale = scales + index * SCALE_SIZE
    if (load<u8>(carried + index) == 1 && load<i32>(scale + S_INDEPENDENT) != 0) continue
    const isPlain = load<i32>(scale + S_MODE) == MODE_SUMS
    let needsEngine = false
    let sum = load<i32>(scale + S_COMPUTATIONS)
    const end = sum + load<i32>(scale + S_COUNT) * SUM_SIZE
    while (sum < end) {
      const isWatched = !isPlain || (load<i32>(sum + SUM_FLAGS) & SUM_WATCHED) != 0
      if (isWatched) needsEngine = needsEngine || isApplicable(sum, states)
      // Watched rules come first: sums of items that follow from readings are the engine's.
      else if (!needsEngine && !reconcileSum(sum, states, values)) return false
      sum += SUM_SIZE
    }
    if (needsEngine && !reconcileByEngine(index)) return false
  }
  return true
}

/** Whether the record carries enough values for the rule to apply. */
function isApplicable(rule: i32, states: i32): bool {
  const flags = load<i32>(rule + SUM_FLAGS)
  const isGiven = load<u8>(states + load<i32>(rule + SUM_TARGET)) != STATE_ABSENT
  if (!isGiven && (flags & (SUM_FILLS_IN | SUM_ALTERNATIVES)) == 0) return false
  let part = load<i32>(rule + SUM_PARTS)
  const end = part + (load<i32>(rule + SUM_COUNT) << 2)
  let given = 0
  while (part < end) {
    if (load<u8>(states + load<i32>(part)) != STATE_ABSENT) given++
    part += 4
  }
  return given > ((flags & SUM_ALTERNATIVES) != 0 ? 1 : 0)
}

/** Compares a given sum with its parts, or computes it if all of them are given. False if there is a problem. */
function reconcileSum(sum: i32, states: i32, values: i32): bool {
  const target = load<i32>(sum + SUM_TARGET)
  const flags = load<i32>(sum + SUM_FLAGS)
  const state = load<u8>(states + target)
  if (state == STATE_ABSENT && (flags & SUM_FILLS_IN) == 0) return true
  let part = load<i32>(sum + SUM_PARTS)
  const count = load<i32>(sum + SUM_COUNT)
  const end = part + (count << 2)
  let given = 0
  let total: f64 = 0
  while (part < end) {
    const slot = load<i32>(part)
    if (isUsable(states, slot)) {
      given++
      total += load<f64>(values + (slot << 3))
    }
    part += 4
  }
  if (state == STATE_VALID) {
    if ((flags & SUM_COMPARES_PARTLY) != 0 ? given == 0 : given != count) return true
    return abs(rounded(total) - load<f64>(values + (target << 3))) <= SAME
  }
  if (state != STATE_ABSENT || given != count) return true
  const figure = rounded(total)
  if (!permits(fieldsAt + target * FIELD_SIZE, figure)) return false
  store<f64>(values + (target << 3), figure)
  store<u8>(states + target, STATE_COMPUTED)
  return true
}

@inline
function rounded(sum: f64): f64 {
  return Math.round(sum * SUM_UNITS) / SUM_UNITS
}

/** Whether the field may hold a computed number. */
function permits(field: i32, value: f64): bool {
  const kind = load<u8>(field + F_KIND)
  // The list is too long for a table of the reader, so the reference decides.
  if (kind == KIND_REFUSE) return false
  if (kind != KIND_LIST) {
    return value >= load<f64>(field + F_FROM) && value <= load<f64>(field + F_TO)
  }
  const unit = load<f64>(field + F_UNIT)
  const units = nearest(value * unit)
  const place = units - <f64>load<i32>(field + F_LOW)
  if (units / unit != value || place < 0 || place > <f64>load<i32>(field + F_HIGH)) return false
  return load<u8>(load<i32>(field + F_TABLE) + <i32>place) != 0
}
