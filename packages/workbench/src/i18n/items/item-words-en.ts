/** English words on the values of instruments, where the service has figures only. */
import words from './en.json'

export { words }
export const phrases = {}
