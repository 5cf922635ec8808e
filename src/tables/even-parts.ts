/**
 * Cuts bytes into parts of equal size, however they arrived: the parts of a compressed file depend on timing. Only
 * where the parts are the same each time does a run that goes on find the pieces of the run before.
 */
export async function* evenParts(parts: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let room: Buffer | undefined
  let filled = 0
  for await (const part of parts) {
    if (filled === 0 && part.length === size) {
      yield part
      continue
    }
    for (let at = 0; at < part.length;) {
      // Memory of its own: the code that takes a part may release its memory.
      room ??= Buffer.allocUnsafeSlow(size)
      const copied = part.copy(room, filled, at)
      at += copied
      filled += copied
      if (filled < size) continue
      yield room
      room = undefined
      filled = 0
    }
  }
  if (room !== undefined) yield room.subarray(0, filled)
}
