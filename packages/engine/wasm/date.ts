/** Calendar dates as the records write them, DD-MM-YYYY, to numbers that sort: YYYYMMDD. */

export const NOT_A_DATE: i32 = -1
/** As in `packages/engine/src/read/calendar.ts`. */
export const EARLIEST_DATE: i32 = 19000101

/** The date in the ten bytes at this place. */
export function dateAt(at: i32): i32 {
  if (load<u8>(at + 2) != 0x2d || load<u8>(at + 5) != 0x2d) return NOT_A_DATE
  const day = twoDigits(at)
  const month = twoDigits(at + 3)
  const century = twoDigits(at + 6)
  const rest = twoDigits(at + 8)
  if (day < 1 || month < 1 || month > 12 || century < 0 || rest < 0) return NOT_A_DATE
  const year = century * 100 + rest
  if (year == 0 || day > daysOf(month, year)) return NOT_A_DATE
  return year * 10000 + month * 100 + day
}

@inline
function twoDigits(at: i32): i32 {
  const tens = <u32>load<u8>(at) - 0x30
  const ones = <u32>load<u8>(at + 1) - 0x30
  return tens > 9 || ones > 9 ? -1 : <i32>(tens * 10 + ones)
}

function daysOf(month: i32, year: i32): i32 {
  if (month == 2) return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31
}
