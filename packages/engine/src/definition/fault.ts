/** One reason why a clinical file cannot be used: where it is, which rule it breaks, and what to do. */
export interface Fault {
  readonly file: string
  /** Where in the file, as a JSON Pointer; empty for the file as a whole. */
  readonly path: string
  /** The rule's stable short name. */
  readonly rule: string
  readonly message: string
}

/** Gathers the faults of one file, so that a check reports all of them at once. */
export class FaultList {
  readonly faults: Fault[]
  private readonly file: string
  private readonly path: string

  constructor(file: string, faults: Fault[] = [], path = '') {
    this.file = file
    this.faults = faults
    this.path = path
  }

  add(path: string, rule: string, message: string): void {
    this.faults.push({ file: this.file, path: this.path + path, rule, message })
  }

  /** The same list for a part of the file. */
  at(path: string): FaultList {
    return new FaultList(this.file, this.faults, this.path + path)
  }
}

export function faultLine(fault: Fault): string {
  const place = fault.path === '' ? fault.file : `${fault.file} at ${fault.path}`
  return `${place}: ${fault.message} [${fault.rule}]`
}
