/** What the monitoring asks of the program it runs in: time, chance, a later turn. It has none of these itself. */
export interface Host {
  /** Milliseconds since any fixed moment; never set back. */
  steadyNow(): number
  /** A number from 0 to below 1. */
  random(): number
  /** The bytes as text, one character for each byte. */
  latin1(bytes: Uint8Array): string
  /** Calls the work once, after a time. It does not keep the program running. */
  later(work: () => void, waitMs: number): void
  /** Lets other work of the program go first. */
  nextTurn(): Promise<void>
}

/** The time, and the calendar of the place where the service runs. */
export interface MonitorClock {
  /** Milliseconds since 1970. */
  now(): number
  /** Today as YYYYMMDD. */
  today(): number
}

/** Lines of fixed fields; none of them holds a value of a record. */
export interface MonitorLog {
  error(line: object): void
}
