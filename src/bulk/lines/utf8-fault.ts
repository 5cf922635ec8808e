/** Where bytes stop being UTF-8. Only a file that is refused is looked at so closely. */
import { isUtf8 } from 'node:buffer'

/** The offset of the first byte that begins no character; −1 where all is well. */
export function utf8Fault(bytes: Uint8Array): number {
  if (isUtf8(bytes)) return -1
  // What is no UTF-8 is decoded as a mark that takes its place, and so differs when it is written again.
  const again = new TextEncoder().encode(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))
  let at = 0
  while (at < bytes.length && bytes[at] === again[at]) at++
  // Half a character may begin as the mark does.
  while (isInside(again[at])) at--
  return at
}

/** Whether a byte is one of those that follow the first of a character. */
function isInside(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}
