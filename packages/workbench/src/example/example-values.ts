/** Invented patients for the example. The list has what a real one has: a missing value, one that cannot be, a row that is there twice. */

export const EXAMPLE_PATIENT = {
  age: 84,
  sex: 'F',
  inpatientAdmissions: 2,
  emergencyAdmissions: 1,
  stayDays: 7,
} as const

const FIELDS = 'age,sex,inpatientAdmissions,emergencyAdmissions,stayDays'
const ROWS = `1,84,F,2,1,7
2,71,M,0,0,3
3,66,F,0,1,2
4,79,M,4,2,12
5,58,F,0,0,1
6,91,F,1,0,9
7,68,M,0,0,
8,75,F,3,3,6
9,62,M,0,0,4
10,88,M,1,2,14
11,,F,0,0,5
12,73,F,0,1,3
13,690,M,0,0,2
14,81,F,2,0,10
15,64,M,0,0,1
16,77,M,5,1,8
17,70,F,0,0,3
18,85,F,0,2,
19,59,M,1,0,2
20,93,F,3,1,11
20,93,F,3,1,11
21,103,M,0,0,4`

/** With the reader's words for the identifier and for the name of an invented patient. */
export function exampleList(identifier: string, name: string): string {
  const rows = ROWS.split('\n').map((row) => `${name} ${row}`)
  return [`${identifier},${FIELDS}`, ...rows].join('\n')
}
