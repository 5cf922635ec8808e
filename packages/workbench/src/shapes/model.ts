/** A model's card and everything that its numbers come from, as the service answers it. */
import type { Field } from './fields.ts'
import type { Components } from '../../generated/schema.ts'

type Schemas = Components['schemas']
type ModelFile = Schemas['ModelFile']
type FromFile = 'id' | 'version' | 'title' | 'card' | 'link' | 'threshold' | 'profile' | 'source' | 'licence'
type OfCatalogue = 'digest' | 'released' | 'ready' | 'report'

type FileTerm = ModelFile['terms'][number]
type FileTrees = Extract<FileTerm, { kind: 'trees' }>
export type Tree = Schemas['Tree']
export type Split = Schemas['Split']
/** Many trees are not part of the card; they are asked for one by one. */
export interface TreesTerm extends Omit<FileTrees, 'trees'> {
  readonly count: number
  readonly fields: readonly string[]
  readonly trees?: readonly Tree['nodes'][]
}
export type SimpleTerm = Exclude<FileTerm, { kind: 'product' | 'trees' }>
export type Term = Exclude<FileTerm, FileTrees> | TreesTerm
export type PointsBand = Extract<SimpleTerm, { kind: 'banded' }>['bands'][number]
export type Link = ModelFile['link']

export interface Model extends Pick<ModelFile, FromFile>, Pick<Schemas['ModelCard'], OfCatalogue> {
  readonly inputs: readonly Field[]
  readonly terms: readonly Term[]
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
