/** For tests of what is written: a busy machine may take longer than the limit that keeps a service from waiting for its disk. */
export const UNHURRIED = { limitMs: 60_000 }
