/** A field of a sender's feed that probably means something else, and how it is said in a header. */

/** The kinds of doubt, a closed list of the contract. */
export const DOUBT_KINDS = [
  'unit',
  'quantity',
  'period',
  'codes',
  'share',
  'missing-code',
  'constant',
  'copied',
  'repeated',
  'digits',
  'limit',
  'misaligned',
  'format',
  'missing',
  'selective',
] as const
export type DoubtKind = (typeof DOUBT_KINDS)[number]

/** Scoring a file with such a doubt ends with exit code 4, unless the doubts are accepted. */
export const SERIOUS_DOUBTS: ReadonlySet<DoubtKind> = new Set([
  'unit',
  'quantity',
  'period',
  'codes',
  'missing-code',
  'format',
  'selective',
])

export interface FeedDoubt {
  readonly field: string
  readonly doubt: DoubtKind
  /** The unit that the deployment declares. */
  readonly received?: string
  /** The unit, or another name of what the values probably are. */
  readonly likely?: string
}

/** Every answer has the header, and the doubts of a sender are the same list until they change. */
const printed = new WeakMap<readonly FeedDoubt[], string>()

/** The value of the header `Risk-Feed-Doubt`: a structured list (RFC 9651). Undefined without a doubt. */
export function feedDoubtHeader(doubts: readonly FeedDoubt[]): string | undefined {
  if (doubts.length === 0) return undefined
  const known = printed.get(doubts)
  if (known !== undefined) return known
  const header = doubts.map(printDoubt).join(', ')
  printed.set(doubts, header)
  return header
}

function printDoubt({ field, doubt, received, likely }: FeedDoubt): string {
  const units = [parameter('received', received), parameter('likely', likely)]
  // A token begins with a letter, as every name of a field does, and each kind is one too.
  return `${field};doubt=${doubt}${units.join('')}`
}

function parameter(name: string, text: string | undefined): string {
  if (text === undefined) return ''
  // A header holds ASCII alone; `u` stands for micro in UCUM.
  const ascii = text.replaceAll('µ', 'u').replaceAll(/["\\]/g, '\\$&')
  return `;${name}="${ascii}"`
}
