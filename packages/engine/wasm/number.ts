/**
 * Numbers in their plain form: digits, and for some fields a point and digits. Signs on whole numbers, exponents and
 * long numbers are left to the engine. A mantissa of at most fifteen digits over a power of ten is exact.
 */
import {
  F_DECIMALS,
  F_FROM,
  F_HIGH,
  F_LOW,
  F_PER,
  F_TABLE,
  F_TIMES,
  F_TO,
  F_UNIT,
} from '../src/bytes/layout'

/** The number that was read last. */
export let number: f64 = 0

@inline
export function setNumber(value: f64): void {
  number = value
}

/** Whole digits of a number that fits 32 bits. */
let whole: u32 = 0

@inline
function readDigits(at: i32, first: u32): i32 {
  let value = first - 0x30
  if (value > 9) return 0
  at++
  let digit = <u32>load<u8>(at) - 0x30
  if (digit <= 9) {
    if (value == 0) return 0
    const most = at + 8
    while (digit <= 9) {
      if (at >= most) return 0
      value = value * 10 + digit
      at++
      digit = <u32>load<u8>(at) - 0x30
    }
  }
  whole = value
  return at
}

export function readWhole(at: i32, first: u32, field: i32): i32 {
  at = readDigits(at, first)
  const value = <i32>whole
  if (at == 0 || value < load<i32>(field + F_LOW) || value > load<i32>(field + F_HIGH)) return 0
  if (load<u8>(at) == 0x2e) {
    at = afterZeros(at)
    if (at == 0) return 0
  }
  number = <f64>value
  return at
}

/** After a point that only zeros follow, as in 55.0; 0 for any other fraction, which the engine judges. */
function afterZeros(at: i32): i32 {
  at++
  if (load<u8>(at) != 0x30) return 0
  while (load<u8>(at) == 0x30) at++
  return <u32>load<u8>(at) - 0x30 <= 9 ? 0 : at
}

/** A number of a list. The list is a table over its units: whole numbers, halves, or tenths to thousandths. */
export function readListed(at: i32, first: u32, field: i32): i32 {
  at = readDigits(at, first)
  if (at == 0) return 0
  let units = <i64>whole
  let decimals = <i32>load<u8>(field + F_DECIMALS)
  if (decimals == 0) {
    if (load<u8>(at) == 0x2e) {
      at = afterZeros(at)
      if (at == 0) return 0
    }
    number = <f64>whole
  } else {
    let digit: u32 = 10
    if (load<u8>(at) == 0x2e) {
      at++
      digit = <u32>load<u8>(at) - 0x30
      // A decimal point needs a digit after it.
      if (digit > 9) return 0
    }
    while (decimals > 0) {
      decimals--
      units *= 10
      if (digit <= 9) {
        units += digit
        at++
        digit = <u32>load<u8>(at) - 0x30
      }
    }
    number = <f64>units / load<f64>(field + F_UNIT)
  }
  const place = units - <i64>load<i32>(field + F_LOW)
  if (place < 0 || place > <i64>load<i32>(field + F_HIGH)) return 0
  return load<u8>(load<i32>(field + F_TABLE) + <i32>place) == 0 ? 0 : at
}

export function readDecimal(at: i32, first: u32, field: i32): i32 {
  const isNegative = first == 0x2d
  if (isNegative) {
    at++
    first = <u32>load<u8>(at)
  }
  let mantissa = <i64>first - 0x30
  if (<u64>mantissa > 9) return 0
  let digits = 1
  let unit: f64 = 1
  at++
  let digit = <u32>load<u8>(at) - 0x30
  if (digit <= 9 && mantissa == 0) return 0
  while (digit <= 9) {
    mantissa = mantissa * 10 + digit
    if (++digits > 15) return 0
    at++
    digit = <u32>load<u8>(at) - 0x30
  }
  if (load<u8>(at) == 0x2e) {
    at++
    digit = <u32>load<u8>(at) - 0x30
    if (digit > 9) return 0
    while (digit <= 9) {
      mantissa = mantissa * 10 + digit
      unit *= 10
      if (++digits > 15) return 0
      at++
      digit = <u32>load<u8>(at) - 0x30
    }
  }
  let value = <f64>mantissa / unit
  if (isNegative) {
    // A signed zero is left to the engine.
    if (mantissa == 0) return 0
    value = -value
  }
  value = (value * load<f64>(field + F_TIMES)) / load<f64>(field + F_PER)
  if (!(value >= load<f64>(field + F_FROM) && value <= load<f64>(field + F_TO))) return 0
  number = value
  return at
}

/** An idx of at most fifteen digits. */
export function readIdx(at: i32, first: u32): i32 {
  let value = <i64>first - 0x30
  if (<u64>value > 9) return 0
  const most = at + 15
  at++
  let digit = <u32>load<u8>(at) - 0x30
  if (digit <= 9 && value == 0) return 0
  while (digit <= 9) {
    if (at >= most) return 0
    value = value * 10 + digit
    at++
    digit = <u32>load<u8>(at) - 0x30
  }
  number = <f64>value
  return at
}
