/** Where things end, whatever is in them. The parser of the reference is the judge of what lies between. */

/** The first byte that is no white space. A line's end is none where records stand on a line each. */
export function skipSpace(at: i32, newlineIsSpace: bool): i32 {
  let byte = <u32>load<u8>(at)
  while (byte == 0x20 || byte == 0x09 || byte == 0x0d || (byte == 0x0a && newlineIsSpace)) {
    at++
    byte = <u32>load<u8>(at)
  }
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
