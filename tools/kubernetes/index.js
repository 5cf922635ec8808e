// What test/operations/kubernetes.slow.test.ts uses are types alone; it finds the package here.
export const folder = import.meta.dirname
