/** Whether the service answers. When it does not, the page asks again by itself and says so. */
import { service } from './service.ts'
import { createState } from './state.ts'

export interface Connection {
  readonly isLost: boolean
  /** Counts the times the service came back, so that a view can ask again what it could not ask. */
  readonly reconnects: number
}

export const connection = createState<Connection>({ isLost: false, reconnects: 0 })

const AGAIN_MS = 1_500
let isAsking = false

export function noteLost(): void {
  if (!connection.get().isLost) connection.patch({ isLost: true })
  if (!isAsking) void askAgain()
}

async function askAgain(): Promise<void> {
  isAsking = true
  while (connection.get().isLost) {
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    const isBack = await service()
      .fetch('/health/live', { cache: 'no-store' })
      .then(
        (response) => response.ok,
        () => false,
      )
    if (isBack) connection.set({ isLost: false, reconnects: connection.get().reconnects + 1 })
  }
  isAsking = false
}
