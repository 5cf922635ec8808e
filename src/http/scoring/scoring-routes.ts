/**
 * The doors of the scoring calls. They stand before fastify: its hooks and its parser would do nothing for these calls
 * that their own walk does not do, and they would cost more than the score of one patient.
 */
import type { IncomingMessage } from 'node:http'
import type { Call } from '../../engine/scorer.ts'
import { ownPath } from '../request/refuse-framing.ts'
import { Door, type DoorParts } from './scoring-handler.ts'
import { SCORING_PATH } from './path.ts'

export class Doors {
  private readonly doors = new Map<string, Door>()
  private readonly origins: readonly string[]

  /** `origins` are those under which callers know the service. */
  constructor(parts: DoorParts, origins: readonly string[]) {
    this.origins = origins
    for (const deployment of parts.service.deployments) {
      const path = deployment.basePath + SCORING_PATH
      const calls: readonly (readonly [Call, string])[] = [
        ['score', path],
        ['validate', `${path}/validate`],
        ['explain', `${path}/explain`],
      ]
      for (const [call, route] of calls) this.doors.set(route, new Door(parts, deployment, call, route))
    }
  }

  get paths(): readonly string[] {
    return [...this.doors.keys()]
  }

  /** The door that a request is for, if any. */
  find(message: IncomingMessage): Door | undefined {
    if (message.method !== 'POST') return undefined
    return this.doors.get(message.url ?? '') ?? this.findOtherwise(message)
  }

  /** Addresses can be written in several ways: with a query, with the origin before them, with escapes. */
  private findOtherwise(message: IncomingMessage): Door | undefined {
    const url = ownPath(message, this.origins)
    const end = url.search(/[?#]/)
    const door = this.doors.get(decoded(end < 0 ? url : url.slice(0, end)))
    if (door !== undefined) message.url = url
    return door
  }
}

function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}
