/** When outcomes are judged: soon after some were counted, and once a day, because months become complete. */
import type { Clock } from '@patient-risk/runtime'
import type { Deployment } from '@patient-risk/catalog'
import type { OutcomeWatch } from '@patient-risk/monitor'
import type { Log } from '../../log/log.ts'

const LOOK_EVERY_MS = 60_000
const JUDGE_AFTER_MS = 1_000

interface ScheduleParts {
  readonly watch: OutcomeWatch
  readonly clock: Pick<Clock, 'today'>
  readonly log: Log
  readonly deployments: readonly Deployment[]
}

export class OutcomeSchedule {
  private readonly parts: ScheduleParts
  /** By the name of the deployment. */
  private readonly waiting = new Map<string, NodeJS.Timeout>()
  private daily: NodeJS.Timeout | undefined
  private judgedOn = 0

  constructor(parts: ScheduleParts) {
    this.parts = parts
  }

  /** Notes the present states, so that their outcomes are known later, and judges once a day. */
  async start(): Promise<void> {
    const { watch, deployments, log } = this.parts
    await watch.noteStates(deployments).catch(() => log.error({ event: 'outcome-states-failed' }))
    await this.look()
    this.daily = setInterval(() => void this.look(), LOOK_EVERY_MS).unref()
  }

  stop(): void {
    clearInterval(this.daily)
    for (const timer of this.waiting.values()) clearTimeout(timer)
  }

  /** After outcomes were counted. Those that follow at once are judged together. */
  judgeSoon(deployment: Deployment): void {
    const { name } = deployment
    if (this.waiting.has(name)) return
    const judge = (): void => {
      this.waiting.delete(name)
      void this.judge(deployment)
    }
    this.waiting.set(name, setTimeout(judge, JUDGE_AFTER_MS).unref())
  }

  private async look(): Promise<void> {
    const { clock, deployments } = this.parts
    if (this.judgedOn === clock.today()) return
    this.judgedOn = clock.today()
    for (const deployment of deployments) await this.judge(deployment)
  }

  private async judge(deployment: Deployment): Promise<void> {
    const { watch, log } = this.parts
    try {
      await watch.judge(deployment)
    } catch (error) {
      log.error({ event: 'outcomes-not-judged', kind: (error as Error).name })
    }
  }
}
