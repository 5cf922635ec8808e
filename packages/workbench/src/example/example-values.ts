/** Invented patients for the example. The list has what a real one has: a missing value, one that cannot be, a row that is there twice. */

export const EXAMPLE_PATIENT = {
  age: 84,
  sex: 'F',
  inpatientAdmissions: 2,
  emergencyAdmissions: 1,
  stayDays: 7,
} as const

export const EXAMPLE_LIST = `patient,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays
Example 1,84,F,2,1,7
Example 2,71,M,0,0,3
Example 3,66,F,0,1,2
Example 4,79,M,4,2,12
Example 5,58,F,0,0,1
Example 6,91,F,1,0,9
Example 7,68,M,0,0,
Example 8,75,F,3,3,6
Example 9,62,M,0,0,4
Example 10,88,M,1,2,14
Example 11,,F,0,0,5
Example 12,73,F,0,1,3
Example 13,690,M,0,0,2
Example 14,81,F,2,0,10
Example 15,64,M,0,0,1
Example 16,77,M,5,1,8
Example 17,70,F,0,0,3
Example 18,85,F,0,2,
Example 19,59,M,1,0,2
Example 20,93,F,3,1,11
Example 20,93,F,3,1,11
Example 21,103,M,0,0,4
`
