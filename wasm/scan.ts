/** Where things end, whatever is in them. */

export const TRUE: u32 = 0x65757274
export const NULL: u32 = 0x6c6c756e
/** The word for what is not true, without its last letter. */
export const FALS: u32 = 0x736c6166

/** The first byte that is no white space. A line's end is none where records stand on a line each. */
export function skipSpace(at: i32, newlineIsSpace: bool): i32 {
  let byte = <u32>load<u8>(at)
  while (byte == 0x20 || byte == 0x09 || byte == 0x0d || (byte == 0x0a && newlineIsSpace)) {
    at++
    byte = <u32>load<u8>(at)
  }
  return at
}

/**
 * Behind a value that is no object and no array, or 0 where it is not well-formed, or a text with anything but plain
 * characters in it: whatever ends here, a parser reads as this one value.
 */
export function endOfPlainValue(at: i32): i32 {
  const first = <u32>load<u8>(at)
  if (first == 0x22) return endOfPlainText(at + 1)
  if (first == 0x2d || first - 0x30 <= 9) return endOfNumber(at)
  const word = load<u32>(at)
  if (word == TRUE || word == NULL) return at + 4
  return word == FALS && load<u8>(at + 4) == 0x65 ? at + 5 : 0
}

/** Behind the closing quote of a text without escapes, in which every byte is a character; or 0. */
export function endOfPlainText(at: i32): i32 {
  let byte = <u32>load<u8>(at)
  while (byte >= 0x20 && byte <= 0x7e && byte != 0x5c) {
    at++
    if (byte == 0x22) return at
    byte = <u32>load<u8>(at)
  }
  return 0
}

function endOfNumber(at: i32): i32 {
  if (load<u8>(at) == 0x2d) at++
  const whole = at
  at = behindDigits(whole)
  // No digit, or a zero that others follow.
  if (at == whole || (at > whole + 1 && load<u8>(whole) == 0x30)) return 0
  if (load<u8>(at) == 0x2e) {
    const decimals = at + 1
    at = behindDigits(decimals)
    if (at == decimals) return 0
  }
  if ((load<u8>(at) | 0x20) == 0x65) {
    const sign = <u32>load<u8>(at + 1)
    const exponent = at + (sign == 0x2b || sign == 0x2d ? 2 : 1)
    at = behindDigits(exponent)
    if (at == exponent) return 0
  }
  return at
}

function behindDigits(at: i32): i32 {
  while (<u32>load<u8>(at) - 0x30 <= 9) at++
  return at
}

/** Behind the end of an element of an array, or 0 when the input ends before it does. */
export function endOfElement(at: i32, end: i32): i32 {
  let depth = 0
  while (at < end) {
    const byte = <u32>load<u8>(at)
    if (byte == 0x22) {
      at = endOfString(at + 1, end)
      if (at == 0) return 0
    } else if (byte == 0x7b || byte == 0x5b) {
      depth++
      at++
    } else if (byte == 0x7d || byte == 0x5d) {
      if (depth == 0) return at
      depth--
      at++
      if (depth == 0) return at
    } else if (byte == 0x2c && depth == 0) {
      return at
    } else {
      at++
    }
  }
  return 0
}

/** Behind the closing quote of a string, or 0 when the input ends before it. */
function endOfString(at: i32, end: i32): i32 {
  while (at < end) {
    const byte = <u32>load<u8>(at)
    if (byte == 0x22) return at + 1
    at += byte == 0x5c ? 2 : 1
  }
  return 0
}

/** The end of a line, or 0 when it may go on behind the input. */
export function endOfLine(at: i32, end: i32, isLast: bool): i32 {
  while (at < end && load<u8>(at) != 0x0a) at++
  return at < end || isLast ? at : 0
}
