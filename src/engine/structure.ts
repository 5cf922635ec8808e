/**
 * A single look over the bytes of a body before it is parsed: how deep it nests, and how many keys it writes.
 * A parser keeps only the last of a repeated key; comparing this count with the keys it kept tells that one was lost.
 */
export interface Structure {
  readonly depth: number
  readonly colons: number
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** Looks at well-formed JSON exactly; of anything else the parser that follows is the judge. */
export function scanStructure(bytes: Uint8Array): Structure {
  let depth = 0
  let deepest = 0
  let colons = 0
  const end = bytes.length
  for (let at = 0; at < end; at++) {
    switch (bytes[at]) {
      case QUOTE:
        at++
        while (at < end && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
        break
      case COLON:
        colons++
        break
      case OPEN_BRACKET:
      case OPEN_BRACE:
        if (++depth > deepest) deepest = depth
        break
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        depth--
        break
      default:
    }
  }
  return { depth: deepest, colons }
}
