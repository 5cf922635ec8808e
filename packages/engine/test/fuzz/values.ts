/** Values as callers write them: nearly always right, in several forms, and now and then wrong. */
import type { Domain } from '../../src/definition/domain.ts'
import type { ReceivedCodes } from '../../src/plan/codes.ts'
import type { FieldPlan } from '../../src/plan/plan.ts'
import type { Random } from '../../../../test/support/random.ts'

/** What no field takes, or takes only by luck. */
const UNUSUAL = [
  ...['null', 'true', 'false', '""', '"x"', '[]', '{}', '[1,2]', '{"a":1}', '{"a":{"b":[1]}}', '"75"'],
  ...['-0', '-1', '0', '1e400', '-1e400', '1e-400', '1E2', '7.5e1', '75.0', '75.5', '1e+1', '10.50', '0.0'],
  ...[
    '9007199254740993',
    '123456789012345678',
    '999999999',
    '1000000000',
    '4294967296',
    '0.1000000000000001',
  ],
  ...['"31-02-2024"', '"29-02-2024"', '"29-02-2023"', '"01-01-2999"', '"00-00-0000"', '"1-1-2020"'],
  ...[
    '"\\u0046"',
    '"F\\u0000"',
    '"\\""',
    '"a\\\\"',
    '"é"',
    '"\\ud800"',
    '"}"',
    '"],["',
    '"F "',
    '[[[[[[[[[1]]]]]]]]]',
  ],
  ...[
    '01',
    '+1',
    '.5',
    '5.',
    '1.e2',
    'NaN',
    'Infinity',
    'nul',
    'True',
    '1e',
    '--1',
    '0x10',
    "'F'",
    '1 2',
    '',
  ],
] as const

const FAULT = 0.03

export function valueText(
  random: Random,
  { domain, received }: Pick<FieldPlan, 'domain' | 'received'>,
): string {
  if (random.chance(FAULT)) return random.pick(UNUSUAL)
  return received === undefined ? rightText(random, domain) : codedText(random, received, domain)
}

/** Mostly a code, as a text or as the number that it looks like; sometimes a value of the field itself. */
function codedText(random: Random, { named }: ReceivedCodes, domain: Domain): string {
  const code = random.pick([...named.keys()])
  if (random.chance(0.2)) return rightText(random, domain)
  const isNumber = String(Number(code)) === code && random.chance(0.6)
  return isNumber ? numberText(random, Number(code)) : JSON.stringify(code)
}

export function rightText(random: Random, domain: Domain): string {
  switch (domain.kind) {
    case 'integer':
      return numberText(random, domain.from + random.below(domain.to - domain.from + 1))
    case 'decimal': {
      const value = domain.from + random.next() * (domain.to - domain.from)
      return random.chance(0.1) ? String(value) : value.toFixed(random.below(4))
    }
    case 'list':
      return numberText(random, random.pick(domain.values))
    case 'code':
      return JSON.stringify(random.pick([...domain.codes.keys()]))
    case 'yesNo':
      return String(random.chance(0.5))
    case 'date':
      return `"${digits(1 + random.below(28))}-${digits(1 + random.below(12))}-${1990 + random.below(37)}"`
  }
}

/** The same number in another form, rarely. */
export function numberText(random: Random, value: number): string {
  if (!random.chance(0.02)) return String(value)
  return random.pick([value.toFixed(1), value.toFixed(3), value.toExponential(), `${value}e0`, `-${value}`])
}

function digits(number: number): string {
  return String(number).padStart(2, '0')
}
