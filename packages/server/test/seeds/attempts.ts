/** What callers tried to store, and how it ended for them. What was acknowledged must be there, and what was refused must not. */
import type { World } from './world.ts'

/**
 * The caller gave up before the commit, so nothing is stored, whatever the store did afterwards. After any other failure nobody knows:
 * a thread that died or a connection that broke may have committed.
 */
const REFUSED = /did not answer (in time|a moment ago)|given up before its commit/

export interface Attempt {
  readonly beganAt: number
  endedAt: number
  /** `unknown` also where it never ended, because its process was killed. */
  end: 'acknowledged' | 'refused' | 'unknown'
}

export const isRefusal = (error: unknown): boolean => REFUSED.test((error as Error).message)

export class Attempts {
  private readonly all = new Map<string, Attempt[]>()
  private readonly world: World

  constructor(world: World) {
    this.world = world
  }

  /** Names of everything that somebody tried, such as `key 17`. */
  names(kind: string): readonly string[] {
    return [...this.all.keys()].filter((name) => name.startsWith(`${kind} `))
  }

  of(name: string): readonly Attempt[] {
    return this.all.get(name) ?? []
  }

  /** Whether a caller was told that it is stored. */
  isAcknowledged(name: string): boolean {
    return this.of(name).some(({ end }) => end === 'acknowledged')
  }

  /** Whether all callers that tried were told that it is not stored. */
  isRefused(name: string): boolean {
    const tries = this.of(name)
    return tries.length > 0 && tries.every(({ end }) => end === 'refused')
  }

  /** Notes that somebody tries; the returned function takes what the caller learns. */
  begin(name: string): (end: Attempt['end']) => void {
    const attempt: Attempt = { beganAt: this.world.steadyMs, endedAt: Infinity, end: 'unknown' }
    this.all.set(name, [...this.of(name), attempt])
    return (end) => Object.assign(attempt, { end, endedAt: this.world.steadyMs })
  }

  /** Does the work of a caller, and notes what the caller learns. */
  async note<T>(name: string, work: () => Promise<T>): Promise<T> {
    const end = this.begin(name)
    try {
      const result = await work()
      end('acknowledged')
      return result
    } catch (error) {
      end(isRefusal(error) ? 'refused' : 'unknown')
      throw error
    }
  }
}
