/** The base fields of every record, and the further inputs that models name. */

interface AboutField {
  /** What the value says, for the person who fills it in. */
  readonly meaning: string
  readonly unit?: string
  /** The time that the value covers. */
  readonly window?: string
  readonly includes?: string
  readonly excludes?: string
}

interface IntegerField extends AboutField {
  readonly type: 'integer'
  readonly from: number
  readonly to: number
}

interface DecimalField extends AboutField {
  readonly type: 'decimal'
  readonly from: number
  readonly to: number
}

interface CodeField extends AboutField {
  readonly type: 'code'
  /** Each permitted code and what it means. */
  readonly values: Readonly<Record<string, string>>
}

interface YesNoField extends AboutField {
  readonly type: 'yesNo'
}

export type FieldDefinition = IntegerField | DecimalField | CodeField | YesNoField

/** Another unit of a field: value in the field's own unit = value × `times` ÷ `per`. */
interface UnitConversionDefinition {
  readonly times?: number
  /** How many of this unit are one of the field's own. */
  readonly per?: number
  readonly source: string
}

/** The units in which a number is written, for fields in which one unit is easily taken for another. */
export interface UnitsDefinition {
  /** The field's own unit. */
  readonly unit: string
  /** Where the median of hospital patients lies, in the field's own unit. */
  readonly usual: {
    readonly from: number
    readonly to: number
  }
  /** The usual median itself; the geometric middle of `usual` where absent. */
  readonly median?: number
  /** Where the usual median comes from. */
  readonly source: string
  readonly others: Readonly<Record<string, UnitConversionDefinition>>
}

/** What `fields.json` may say. */
export interface FieldsDefinition {
  readonly $schema?: string
  readonly version: number
  readonly base?: Readonly<Record<string, FieldDefinition>>
  readonly inputs?: Readonly<Record<string, FieldDefinition>>
  /** Further units by field; totals and measures of scales too. */
  readonly units?: Readonly<Record<string, UnitsDefinition>>
}
