/**
 * Notices that a caller has left while a worker is busy with its request. A caller that closes its connection looks like one that has
 * only closed its sending side and still reads, which is allowed: the system tells them apart only when something is sent. So such a
 * caller is sent `100 Continue`, which every client skips, and a second one after a moment: of a caller that has left, that one fails.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Long enough for the refusal of the first one to come back. */
const SECOND_PROBE_MS = 1_000

/** Aborted when the connection is closed, before or after its answer. */
export function callerLeft(message: IncomingMessage, response: ServerResponse): AbortSignal {
  const left = new AbortController()
  const { socket } = message
  let second: NodeJS.Timeout | undefined
  const probe = (): void => {
    // HTTP/1.0 has no such message, and none may follow the beginning of the answer.
    if (message.httpVersion === '1.1' && !response.headersSent && !response.destroyed)
      response.writeContinue()
  }
  const onEnd = (): void => {
    probe()
    second = setTimeout(probe, SECOND_PROBE_MS).unref()
  }
  const onClose = (): void => {
    clearTimeout(second)
    socket.off('end', onEnd)
    left.abort()
  }
  if (response.destroyed) left.abort()
  else {
    response.once('close', onClose)
    if (socket.readableEnded) onEnd()
    else socket.once('end', onEnd)
  }
  return left.signal
}
