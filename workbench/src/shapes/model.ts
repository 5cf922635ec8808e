/** A model's card and everything that its numbers come from, as the service answers it. */
import type { Field } from './fields.ts'
import type { Components } from '../../generated/schema.ts'

type Schemas = Components['schemas']
type ModelFile = Schemas['ModelFile']
type FromFile =
  'id' | 'version' | 'title' | 'card' | 'terms' | 'link' | 'threshold' | 'profile' | 'source' | 'licence'
type OfCatalogue = 'digest' | 'released' | 'ready' | 'report'

export type Term = ModelFile['terms'][number]
export type SimpleTerm = Exclude<Term, { kind: 'product' }>
export type PointsBand = Extract<SimpleTerm, { kind: 'banded' }>['bands'][number]
export type Link = ModelFile['link']

export interface Model extends Pick<ModelFile, FromFile>, Pick<Schemas['ModelCard'], OfCatalogue> {
  readonly inputs: readonly Field[]
  readonly deployment: {
    readonly name: string
    /** Of everything that decides an answer. */
    readonly digest: string
    readonly output: 'number' | 'yes-no'
    readonly threshold?: number
    /** Whose days decide whether a date lies in the future. */
    readonly timeZone: string
    readonly limits: { readonly bytes: number; readonly records: number }
  }
}
