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
