/** Answers on connections whose bytes are not a request, or whose request came too slowly. */
import type { Socket } from 'node:net'
import { randomUUID } from 'node:crypto'
import { AppError } from '../../errors.ts'
import { problemAnswer } from '../request/problem.ts'

const REASONS: Readonly<Record<number, string>> = { 400: 'Bad Request', 408: 'Request Timeout' }

export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const isSlow = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  const { status, headers, body } = problemAnswer(
    new AppError(isSlow ? 'BODY_TOO_SLOW' : 'REQUEST_INVALID'),
    randomUUID(),
  )
  const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.end(`HTTP/1.1 ${status} ${REASONS[status] ?? ''}\r\n${head}\r\n${body}`)
}
