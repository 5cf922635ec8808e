/** Damages bodies as users, broken programs and attackers do. */
const TOKENS = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '\\u0000',
  '\\ud800',
  'null',
  'true',
  'false',
  '-0',
  '1e400',
  '1E-400',
  '-',
  '9007199254740993',
  '0.1',
  '00',
  '"idx":1',
  '"__proto__":{',
  '"constructor":',
  '\u0000',
  '\ufeff',
  '\u2028',
  '\t',
  '\n',
  'NaN',
  'Infinity',
  '"75"',
  '{}',
  '[]',
  '[[[[[[[[[',
  '/*',
  '//',
  "'",
  '"age":',
  '"sex":"F"',
  '"barthel_total":5,',
].map((token) => Buffer.from(token, 'utf8'))

/** A copy of the bytes with one to six things wrong. */
export function mutate(bytes: Buffer, random: () => number): Buffer {
  let spoiled: Buffer = Buffer.from(bytes)
  const times = 1 + Math.floor(random() * 6)
  for (let i = 0; i < times; i++) spoiled = spoil(spoiled, random)
  return spoiled
}

function spoil(bytes: Buffer, random: () => number): Buffer {
  const at = Math.floor(random() * (bytes.length + 1))
  const until = Math.min(bytes.length, at + 1 + Math.floor(random() * 12))
  const before = bytes.subarray(0, at)
  switch (Math.floor(random() * 7)) {
    case 0: {
      const flipped = Buffer.from(bytes)
      if (at < bytes.length) flipped[at] = (flipped[at] ?? 0) ^ (1 << Math.floor(random() * 8))
      return flipped
    }
    case 1:
      return Buffer.concat([before, bytes.subarray(until)])
    case 2:
      return Buffer.concat([
        before,
        TOKENS[Math.floor(random() * TOKENS.length)] ?? before,
        bytes.subarray(at),
      ])
    case 3:
      return Buffer.concat([
        before,
        TOKENS[Math.floor(random() * TOKENS.length)] ?? before,
        bytes.subarray(until),
      ])
    case 4:
      return Buffer.concat([before, bytes.subarray(at, until), bytes.subarray(at)])
    case 5:
      return Buffer.concat([before, Buffer.from([Math.floor(random() * 256)]), bytes.subarray(at)])
    default:
      return before
  }
}
