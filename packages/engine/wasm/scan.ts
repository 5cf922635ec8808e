/** Finds the ends of values, strings, elements and lines, without reading their content. */

export const TRUE: u32 = 0x65757274
export const NULL: u32 = 0x6c6c756e
/** The first four letters of `false`. */
export const FALS: u32 = 0x736c6166

/** The first byte that is not white space. A line feed is not white space where each line is a record. */
export function skipSpace(at: i32, newlineIsSpace: bool): i32 {
  let byte = <u32>load<u8>(at)
  while (byte == 0x20 || byte == 0x09 || byte == 0x0d || (byte == 0x0a && newlineIsSpace)) {
    at++
    byte = <u32>load<u8>(at)
  }
  return at
}

/**
 * The place after a value that is neither an object nor an array. 0 if the value is not well-formed, or is a string with
 * anything but plain characters: a parser reads exactly this one value.
 */
export function endOfPlainValue(at: i32): i32 {
  const first = <u32>load<u8>(at)
  if (first == 0x22) return endOfPlainText(at + 1)
  if (first == 0x2d || first - 0x30 <= 9) return endOfNumber(at)
  const word = load<u32>(at)
  if (word == TRUE || word == NULL) return at + 4
  return word == FALS && load<u8>(at + 4) == 0x65 ? at + 5 : 0
}

/** The place after the closing quote of a string of plain ASCII without escapes, or 0. */
export function endOfPlainText(at: i32): i32 {
  let byte = <u32>load<u8>(at)
  while (byte >= 0x20 && byte <= 0x7e && byte != 0x5c) {
    at++
    if (byte == 0x22) return at
    byte = <u32>load<u8>(at)
  }
  return 0
}

/** The place after the closing quote of any string that JSON in UTF-8 allows, or 0. */
export function endOfAnyText(at: i32): i32 {
  while (true) {
    const byte = <u32>load<u8>(at)
    at++
    if (byte == 0x22) return at
    if (byte < 0x20) return 0
    if (byte == 0x5c) at = endOfEscape(at)
    else if (byte >= 0x80) at = endOfCharacter(at, byte)
    if (at == 0) return 0
  }
}

/** The place after an escape, from after its backslash on, or 0. */
function endOfEscape(at: i32): i32 {
  const letter = <u32>load<u8>(at)
  at++
  if (letter == 0x75) {
    for (const end = at + 4; at < end; at++) {
      const digit = <u32>load<u8>(at)
      if (digit - 0x30 > 9 && (digit | 0x20) - 0x61 > 5) return 0
    }
    return at
  }
  const isSign = letter == 0x22 || letter == 0x5c || letter == 0x2f
  const isShort = letter == 0x62 || letter == 0x66 || letter == 0x6e || letter == 0x72 || letter == 0x74
  return isSign || isShort ? at : 0
}

/** The place after a character beyond ASCII, from after its first byte on; 0 if it is not UTF-8. */
function endOfCharacter(at: i32, first: u32): i32 {
  const more = first - 0xc2 < 0x1e ? 1 : first - 0xe0 < 0x10 ? 2 : first - 0xf0 < 5 ? 3 : 0
  // No character is written longer than it needs to be, is half of a pair, or lies above U+10FFFF.
  const lowest: u32 = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80
  const highest: u32 = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf
  const second = <u32>load<u8>(at)
  if (more == 0 || second < lowest || second > highest) return 0
  for (let place = at + 1; place < at + more; place++) if ((<u32>load<u8>(place) & 0xc0) != 0x80) return 0
  return at + more
}

function endOfNumber(at: i32): i32 {
  if (load<u8>(at) == 0x2d) at++
  const whole = at
  at = endOfDigits(whole)
  // No digit, or a leading zero.
  if (at == whole || (at > whole + 1 && load<u8>(whole) == 0x30)) return 0
  if (load<u8>(at) == 0x2e) {
    const decimals = at + 1
    at = endOfDigits(decimals)
    if (at == decimals) return 0
  }
  if ((load<u8>(at) | 0x20) == 0x65) {
    const sign = <u32>load<u8>(at + 1)
    const exponent = at + (sign == 0x2b || sign == 0x2d ? 2 : 1)
    at = endOfDigits(exponent)
    if (at == exponent) return 0
  }
  return at
}

function endOfDigits(at: i32): i32 {
  while (<u32>load<u8>(at) - 0x30 <= 9) at++
  return at
}

/** The place after an element of an array, or 0 if the input ends first. */
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

/** The place after the closing quote of a string, or 0 if the input ends first. */
function endOfString(at: i32, end: i32): i32 {
  while (at < end) {
    const byte = <u32>load<u8>(at)
    if (byte == 0x22) return at + 1
    at += byte == 0x5c ? 2 : 1
  }
  return 0
}

/** The end of a line, or 0 if the line may continue after the input. */
export function endOfLine(at: i32, end: i32, isLast: bool): i32 {
  while (at < end && load<u8>(at) != 0x0a) at++
  return at < end || isLast ? at : 0
}
