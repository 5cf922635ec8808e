/** Codes of other conventions, and numbers that stand for a missing value in many systems. */

/** How other languages and systems write a sex. `M` means *mujer* where men are `H`: its meaning depends on what stands beside it. */
const SEX = [
  ...[
    'H',
    'V',
    'D',
    'W',
    'K',
    'HOMBRE',
    'MUJER',
    'VARON',
    'VARÓN',
    'HEMBRA',
    'HOMME',
    'FEMME',
    'HOME',
    'DONA',
  ],
  ...['MALE', 'FEMALE', 'MAN', 'WOMAN', 'MASCULINO', 'FEMENINO', 'MÄNNLICH', 'WEIBLICH', 'MANN', 'FRAU'],
  ...['0', '1', '2', '3', '9', 'm', 'f', 'h', 'v', 'd', 'w', 'k', 'U', 'I', 'O'],
]
const YES_NO = [
  ...[
    'S',
    'SI',
    'SÍ',
    'SÃ\u00AD',
    'N',
    'NO',
    'Y',
    'YES',
    'O',
    'OUI',
    'NON',
    'J',
    'JA',
    'NEIN',
    'V',
    'F',
    'T',
  ],
  ...['TRUE', 'FALSE', 'VERDADERO', 'FALSO', 'X', '0', '1', '2', '-1', '9'],
]

/** Whether a refused text is a known code of another convention. */
export function isOtherCode(kind: 'code' | 'yesNo', code: string): boolean {
  const known = kind === 'code' ? SEX : YES_NO
  return known.includes(code) || known.includes(code.toUpperCase())
}

/** Numbers that stand for a missing value: 0 and −1, and nines in every length. */
export const MISSING_CODES = [0, -1, 9, 9.9, 99, 99.9, 999, 9999] as const

/** Before this date (YYYYMMDD) lie the default dates of systems: 1900, 1970, and those of no assessment. */
export const EARLIEST_USUAL_DATE = 20_000_101
