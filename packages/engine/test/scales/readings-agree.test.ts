/** Some random readings of each scale; the slow test has more. */
import { agreeOnReadings } from './readings-agree.ts'

agreeOnReadings(300)
