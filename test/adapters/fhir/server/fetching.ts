/** All tests of fetching against a real FHIR server, in one process, because HAPI takes a minute to start. */
import './self.ts'
import './score.ts'
import './hook.ts'
import './tokens.ts'
import './faults.ts'
