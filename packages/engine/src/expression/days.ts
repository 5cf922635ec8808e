/** Days between two dates, each as YYYYMMDD. */
import { add, divide, floor, multiply, number, subtract, when, compare } from './build.ts'
import type { NumberNode } from './node.ts'

export function daysBetweenNode(from: NumberNode, to: NumberNode): NumberNode {
  return subtract(dayNumber(to), dayNumber(from))
}

/** Counts days with years that begin in March, so that the day of a leap year is the last one. */
function dayNumber(date: NumberNode): NumberNode {
  const month = remainder(whole(date, 100), 100)
  const year = subtract(whole(date, 10_000), when(compare(month, '>', number(2)), number(0), number(1)))
  const leapDays = add(subtract(whole(year, 4), whole(year, 100)), whole(year, 400))
  // Five months from March have 153 days, and so have the next five.
  const months = remainder(add(month, number(9)), 12)
  const daysBefore = whole(add(multiply(number(153), months), number(2)), 5)
  return add(multiply(number(365), year), leapDays, daysBefore, remainder(date, 100))
}

/** How often a number goes into another one. */
function whole(of: NumberNode, by: number): NumberNode {
  return floor(divide(of, number(by)))
}

function remainder(of: NumberNode, by: number): NumberNode {
  return subtract(of, multiply(number(by), whole(of, by)))
}
