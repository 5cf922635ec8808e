/** Processes that lead a group of their own, as npm does with what it starts: they end with the test, also when that is killed. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'

const groups = new Set<number>()

export function spawnGroup(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): ChildProcessWithoutNullStreams {
  if (groups.size === 0) watch()
  const child = spawn(command, args, { ...options, detached: true })
  if (child.pid !== undefined) groups.add(child.pid)
  return child
}

/** Reads what the first start of a service prints: where it listens, and its key. */
export async function firstStart(
  output: NodeJS.ReadableStream,
): Promise<{ readonly origin: string; readonly key: string; readonly text: string }> {
  let text = ''
  for await (const chunk of output) {
    text += String(chunk)
    const origin = /"origin":"([^"]+)"/.exec(text)?.[1]
    const key = /prk_[0-9A-Za-z_]+/.exec(text)?.[0]
    if (origin !== undefined && key !== undefined) return { origin, key, text }
  }
  throw new Error('the service ended before it listened')
}

/** Ends every group that this process has started. */
export function endGroups(): void {
  for (const pid of groups) {
    try {
      process.kill(-pid, 'SIGTERM')
    } catch {
      // It has ended by itself.
    }
  }
  groups.clear()
}

function watch(): void {
  process.once('exit', endGroups)
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.once(signal, () => {
      endGroups()
      process.kill(process.pid, signal)
    })
  }
}
