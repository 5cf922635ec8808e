/** The field catalogue of a deployment, as the service answers it. */

export type Value = number | string | boolean

export interface Field {
  readonly name: string
  readonly type: 'integer' | 'number' | 'string' | 'boolean' | 'date'
  readonly values?: readonly (number | string)[]
  readonly valueMeanings?: Readonly<Record<string, string>>
  readonly minimum?: number
  readonly maximum?: number
  readonly unit?: string
  /** Other units in use, each with how many of it are one of `unit`. */
  readonly otherUnits?: Readonly<Record<string, number>>
  readonly meaning: string
  readonly window?: string
  readonly includes?: string
  readonly excludes?: string
  readonly note?: string
  readonly scale?: string
  readonly role: 'base' | 'input' | 'item' | 'coding' | 'context' | 'subtotal' | 'total' | 'derived' | 'date'
  readonly use: 'required' | 'optional' | 'part' | 'unused'
  readonly whenAbsent?: Value
  readonly whyAbsent?: string
  readonly verified: boolean
}

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
