/** Small tools to change a written Bundle: all of its resources, some of them, all of its texts. */
import type { Random } from '../../../../../../test/support/random.ts'
import type { Resource } from '../source.ts'
import type { Written } from './true-bundles.ts'

export interface Kind {
  readonly name: string
  /** The models that have no number after it. */
  readonly gone?: readonly string[]
  readonly change: (written: Written, random: Random) => Written
  /** Whether it takes something away and leaves a trace. Another change after it might remove the trace, and nobody could tell. */
  readonly isLast?: boolean
}

interface Entry {
  readonly fullUrl?: string
  readonly resource: Resource
}

export function entriesIn({ body }: Written): readonly Entry[] {
  return Array.isArray(body['entry']) ? (body['entry'] as Entry[]) : []
}

export function withEntries(written: Written, entry: readonly unknown[]): Written {
  return written.body['resourceType'] === 'Bundle'
    ? { ...written, body: { ...written.body, entry } }
    : written
}

/** The type of a resource; empty where an entry has none. */
export function typeOf(resource: Resource | undefined): string {
  const type = resource?.['resourceType']
  return typeof type === 'string' ? type : ''
}

/** Changes every resource of some types, or every one. */
export function each(
  name: string,
  types: readonly string[],
  change: (resource: Resource, random: Random) => Resource,
): Kind {
  return {
    name,
    change: (written, random) =>
      withEntries(
        written,
        entriesIn(written).map((entry) => {
          const type = typeOf(entry.resource)
          const isMeant = type !== '' && (types.length === 0 || types.includes(type))
          return isMeant ? { ...entry, resource: change(entry.resource, random) } : entry
        }),
      ),
  }
}

/** Changes one resource of some types. */
export function one(
  name: string,
  types: readonly string[],
  change: (resource: Resource, random: Random) => Resource,
): Kind {
  return {
    name,
    change: (written, random) => {
      const entries = entriesIn(written)
      const places = entries.flatMap(({ resource }, at) => (types.includes(typeOf(resource)) ? [at] : []))
      if (places.length === 0) return written
      const place = random.pick(places)
      return withEntries(
        written,
        entries.map((entry, at) =>
          at === place ? { ...entry, resource: change(entry.resource, random) } : entry,
        ),
      )
    },
  }
}

export function changing(name: string, change: Kind['change']): Kind {
  return { name, change }
}

/** Adds resources, at the end or in front. */
export function adding(name: string, make: (written: Written, random: Random) => readonly Resource[]): Kind {
  return {
    name,
    change: (written, random) => {
      const more = make(written, random).map((resource) => ({ resource }))
      return withEntries(
        written,
        random.chance(0.5) ? [...entriesIn(written), ...more] : [...more, ...entriesIn(written)],
      )
    },
  }
}

/** Changes every text of a value, wherever it is. */
export function texts(value: unknown, change: (text: string, key: string) => string, key = ''): unknown {
  if (typeof value === 'string') return change(value, key)
  if (Array.isArray(value)) return value.map((item) => texts(item, change, key))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, texts(item, change, name)]))
}

/** Changes the references of every resource. */
export function references(name: string, change: (reference: string) => string): Kind {
  return each(
    name,
    [],
    (resource) => texts(resource, (text, key) => (key === 'reference' ? change(text) : text)) as Resource,
  )
}

export function shuffled<T>(all: readonly T[], random: Random): readonly T[] {
  const left = [...all]
  const mixed: T[] = []
  while (left.length > 0) mixed.push(...left.splice(random.below(left.length), 1))
  return mixed
}

export function without(resource: Resource | undefined, ...names: readonly string[]): Resource {
  return Object.fromEntries(Object.entries(resource ?? {}).filter(([name]) => !names.includes(name)))
}

/** The code of the class of an Encounter. */
export function classOf(resource: Resource): unknown {
  return (resource['class'] as Resource | undefined)?.['code']
}

/** The codings of the code of a resource, also where the list was written as its one element. */
export function codingsIn(resource: Resource): readonly Resource[] {
  const { coding = [] } = (resource['code'] ?? {}) as { readonly coding?: Resource | readonly Resource[] }
  return [coding].flat()
}
