/** The field catalogue of a deployment, as the service answers it. */
import type { Components } from './schema.ts'

export type Value = number | string | boolean
export type Field = Components['schemas']['Field']

export interface SumTotal {
  readonly kind: 'sum'
  readonly alternatives?: readonly (readonly string[])[]
  readonly hierarchies?: readonly { readonly severe: string; readonly replaces: string }[]
}
export type Total =
  | 'sum'
  | SumTotal
  | { readonly kind: 'grade'; readonly item: string }
  | { readonly kind: 'rule'; readonly all: readonly (string | { readonly any: readonly string[] })[] }

export interface Coding {
  readonly meaning: string
  readonly shift?: number
  readonly items?: readonly string[]
  readonly narrowed?: Readonly<Record<string, readonly number[]>>
  readonly total?: Total
}

export interface Scale {
  readonly id: string
  readonly title: string
  readonly purpose: string
  readonly direction: string
  readonly verified: boolean
  readonly total: Total
  readonly codings?: {
    readonly default: string | null
    readonly forms: Readonly<Record<string, Coding>>
  }
  readonly bands?: readonly {
    readonly scheme: string
    readonly of?: string
    readonly verified: boolean
    readonly bands: readonly { readonly from: number; readonly to: number; readonly label: string }[]
  }[]
  readonly source: string
  readonly licence: string
}

export interface FieldCatalogue {
  readonly model: string
  readonly fields: readonly Field[]
  readonly scales: readonly Scale[]
}
