/** The rules by which keys are made: names, lifetimes, limits and scopes. The command line and HTTP only translate them. */
import { checkCodes } from '@patient-risk/catalog'
import type { Codes } from 'patient-risk-engine'
import { type Domains, FaultList } from 'patient-risk-engine/definition'
import type { KeyLimits } from '../store.ts'
import { ADMIN_SCOPE, EVERY_DEPLOYMENT, OUTCOMES_SCOPE, type Reach } from './keys.ts'

export const NAME_LENGTH = 100
/** At least one visible character, and no control characters: names are printed in tables and logs. */
export const NAME_PATTERN = '^(?=.*\\S)[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$'
export const MOST_PER_MINUTE = 1_000_000_000
export const DEFAULT_OVERLAP = '24h'

type Part = 'name' | 'deployment' | 'requests' | 'records' | 'codes' | 'expires' | 'overlap'

/** A key cannot be made or replaced as asked. The message is a sentence for the person who asked. */
export class KeyRuleError extends Error {
  override readonly name = 'KeyRuleError'
  /** The part of the request that is refused, or what is wrong with the key that it names. */
  readonly subject: Part | 'key unknown' | 'key ended' | 'key last'

  constructor(subject: KeyRuleError['subject'], message: string) {
    super(message)
    this.subject = subject
  }
}

export function checkName(name: string): string {
  if (name.length > NAME_LENGTH || !new RegExp(NAME_PATTERN).test(name)) {
    throw new KeyRuleError(
      'name',
      `A name has 1 to ${NAME_LENGTH} characters, at least one of them visible, and no control characters.`,
    )
  }
  return name
}

/** The key that somebody asks for. */
export interface KeyRequest {
  readonly name: string
  readonly deployments?: readonly string[] | undefined
  readonly admin?: boolean | undefined
  /** Whether it may send outcomes, and read what they show. */
  readonly outcomes?: boolean | undefined
  /** As in 90d; for ever where absent. */
  readonly expires?: string | undefined
  readonly limits?: KeyLimits
  /** What the codes of its sender mean, in place of those of the deployment. */
  readonly codes?: Codes | undefined
}

/** The scopes of a new key. Without deployments it may use all that the administrator may manage. */
export function scopesFor(
  { deployments, admin, outcomes }: Pick<KeyRequest, 'deployments' | 'admin' | 'outcomes'>,
  reach: Reach,
  known: readonly string[],
): readonly string[] {
  const allowed = reach === 'all' ? known : known.filter((each) => reach.includes(each))
  const refuse = (message: string): never => {
    throw new KeyRuleError('deployment', message)
  }
  const list = `There are: ${allowed.join(', ')}.`
  if (deployments?.some((each) => !allowed.includes(each))) refuse(`There is no such deployment. ${list}`)
  if (new Set(deployments).size < (deployments?.length ?? 0)) refuse('Name each deployment once.')
  // An admin key without deployments manages everything, so only an administrator of everything may make one.
  if (deployments?.length === 0 && reach !== 'all') refuse(`Name at least one deployment. ${list}`)
  const scopes = [...(deployments ?? (reach === 'all' ? [EVERY_DEPLOYMENT] : allowed))]
  if (outcomes === true) scopes.push(OUTCOMES_SCOPE)
  if (admin === true) scopes.push(ADMIN_SCOPE)
  return scopes
}

export function checkLimits(limits: KeyLimits): KeyLimits {
  for (const part of ['requests', 'records'] as const) {
    const limit = limits[`${part}PerMinute`] ?? 1
    if (Number.isInteger(limit) && limit >= 1 && limit <= MOST_PER_MINUTE) continue
    throw new KeyRuleError(part, `A limit is a whole number from 1 to ${MOST_PER_MINUTE}, or none.`)
  }
  return limits
}

/** A row of the audit holds the codes of the key, so they are not long. */
const LONGEST_CODES = 8_192

/** The codes of a new key, and what is doubtful about them. `domains` are what fields may hold. */
export function codesFor(
  codes: Codes,
  domains: Domains,
): { readonly codes: Codes; readonly warnings: readonly string[] } {
  const faults = new FaultList('codes')
  const warnings = checkCodes(domains, codes, faults)
  const [fault] = faults.faults
  if (fault !== undefined)
    throw new KeyRuleError('codes', `The codes are refused at "${fault.path}": it ${fault.message}.`)
  if (JSON.stringify(codes).length > LONGEST_CODES)
    throw new KeyRuleError('codes', `The codes of a key take at most ${LONGEST_CODES} characters of JSON.`)
  return { codes, warnings }
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A length of time as people write it, in milliseconds; undefined where it is not one. */
export function parseLifetime(text: string): number | undefined {
  // Stryker disable next-line StringLiteral,ArrayDeclaration: any default will do that is not the name of a unit
  const [, number, unit = ''] = /^(\d{1,5})([smhd])$/.exec(text) ?? []
  const unitMs = UNIT_MS[unit]
  return unitMs && Number(number) * unitMs
}

/** The same, at least `leastMs`; undefined if none is given. */
export function lifetimeOf(text: string | undefined, leastMs: number, subject: Part): number | undefined {
  if (text === undefined) return undefined
  const lifetimeMs = parseLifetime(text)
  if (lifetimeMs === undefined || lifetimeMs < leastMs) {
    throw new KeyRuleError(subject, 'A length of time is a number and a unit, as in 30m, 12h or 90d.')
  }
  return lifetimeMs
}

/** How far the clocks of machines that share a store may differ. */
const CLOCK_TOLERANCE_MS = 60_000

/**
 * The time by which a lifetime is counted. Expiry is judged by the latest time ever recorded, so a clock that once ran ahead ends keys
 * early: a lifetime that cannot be kept is refused, and not silently made longer or shorter.
 */
export function lifetimeStart(clock: number, latestRecorded: number): number {
  if (latestRecorded - clock > CLOCK_TOLERANCE_MS) {
    throw new KeyRuleError(
      'expires',
      `The store has recorded a time (${new Date(latestRecorded).toISOString()}) after the present one: a clock was wrong, ` +
        'then or now. A key that expires cannot be made until that time has passed. Correct the clock, or make a key that does not expire.',
    )
  }
  return Math.max(clock, latestRecorded)
}
