/** Runs these files in one process. Each of them also runs alone. */
import '../list-files.test.ts'
import '../people.test.ts'
import '../problems.test.ts'
import '../stopped.test.ts'
