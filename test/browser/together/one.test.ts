/** Runs these files in one process. Each of them also runs alone. */
import '../list.test.ts'
import '../models.test.ts'
import '../operations.test.ts'
import '../patient.test.ts'
import '../sign-in.test.ts'
import '../truth.test.ts'
