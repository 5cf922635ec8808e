/** The field catalogue of a deployment, as the service answers it. */
import type { Components } from '../../generated/schema.ts'

type Schemas = Components['schemas']
type ScaleFile = Schemas['ScaleFile']
type FromFile = 'id' | 'title' | 'purpose' | 'direction' | 'verified' | 'total' | 'codings' | 'bands'

export type Value = number | string | boolean
export type Field = Schemas['Field']
export type Coding = NonNullable<ScaleFile['codings']>['forms'][string]

export interface Scale extends Pick<ScaleFile, FromFile> {
  readonly source: string
  readonly licence: string
}

export interface FieldCatalogue extends Omit<Schemas['FieldCatalogue'], 'scales'> {
  readonly scales: readonly Scale[]
}
