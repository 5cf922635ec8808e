/**
 * Codes that senders use in place of ours, by convention: what each code means there. Where a sender has shown a code that only another
 * convention has, its other codes may mean something else too: `M` beside `H` is *mujer*, a woman.
 */

export interface CodeConvention {
  /** Who writes like this, as it follows "the codes of". */
  readonly name: string
  /** Each code of the convention, and the code of ours that it stands for; null for one that stands for no value. */
  readonly codes: Readonly<Record<string, string | null>>
}

/** By the name of the field. */
export const CONVENTIONS: Readonly<Record<string, readonly CodeConvention[]>> = {
  sex: [
    { name: 'Spanish files (hombre, mujer)', codes: { H: 'M', M: 'F' } },
    { name: 'Spanish files (varón, mujer)', codes: { V: 'M', M: 'F' } },
    { name: 'Portuguese files (homem, mulher)', codes: { H: 'M', M: 'F' } },
    { name: 'Catalan files (home, dona)', codes: { H: 'M', D: 'F' } },
    { name: 'French files (homme, femme)', codes: { H: 'M', F: 'F' } },
    { name: 'Dutch files (man, vrouw)', codes: { M: 'M', V: 'F' } },
    { name: 'German files (männlich, weiblich, divers)', codes: { M: 'M', W: 'F', D: 'X' } },
    { name: 'German files in small letters', codes: { m: 'M', w: 'F', d: 'X', x: 'X' } },
    { name: 'Italian files (uomo, donna)', codes: { U: 'M', D: 'F' } },
    { name: 'Polish and Nordic files (kobieta, kvinna)', codes: { K: 'F', M: 'M' } },
    { name: 'Czech files (žena, muž)', codes: { Z: 'F', Ž: 'F', M: 'M' } },
    { name: 'Finnish files (nainen, mies)', codes: { N: 'F', M: 'M' } },
    { name: 'ISO/IEC 5218', codes: { '1': 'M', '2': 'F', '9': null, '0': null } },
    { name: 'FHIR', codes: { male: 'M', female: 'F', other: 'X', unknown: null } },
    { name: 'Spanish files in small letters', codes: { h: 'M', v: 'M', m: 'F' } },
    { name: 'DICOM', codes: { M: 'M', F: 'F', O: 'X' } },
    { name: 'HL7 v2', codes: { M: 'M', F: 'F', O: 'X', U: null, A: 'X' } },
    { name: 'Spanish words', codes: { Hombre: 'M', Varón: 'M', Mujer: 'F', Hembra: 'F' } },
    {
      name: 'Spanish words in capitals',
      codes: { HOMBRE: 'M', VARON: 'M', VARÓN: 'M', MUJER: 'F', HEMBRA: 'F' },
    },
    { name: 'Spanish words in small letters', codes: { hombre: 'M', varón: 'M', mujer: 'F', hembra: 'F' } },
    { name: 'French words', codes: { Homme: 'M', Femme: 'F', homme: 'M', femme: 'F' } },
    { name: 'German words', codes: { männlich: 'M', weiblich: 'F', divers: 'X' } },
    {
      name: 'Spanish words of grammar',
      codes: { Masculino: 'M', Femenino: 'F', MASCULINO: 'M', FEMENINO: 'F' },
    },
    { name: 'Catalan words', codes: { Home: 'M', Dona: 'F', HOME: 'M', DONA: 'F' } },
    { name: 'German words of everyday', codes: { Mann: 'M', Frau: 'F', MANN: 'M', FRAU: 'F' } },
    {
      name: 'English words',
      codes: { Male: 'M', Female: 'F', MALE: 'M', FEMALE: 'F', Man: 'M', Woman: 'F' },
    },
  ],
}

/** The fields that have codes of other conventions. */
export const CODED_FIELDS: readonly string[] = Object.keys(CONVENTIONS)

/** The codes that only other conventions have: none of them is one that the field permits. */
export function foreignCodesOf(field: string): readonly string[] {
  const conventions = CONVENTIONS[field] ?? []
  const ours = new Set(conventions.flatMap(({ codes }) => Object.values(codes)))
  return [...new Set(conventions.flatMap(({ codes }) => Object.keys(codes)))].filter(
    (code) => !ours.has(code),
  )
}
