/** `patient-risk check`: validates clinical files and the configuration, and reports all faults. */
import { statSync } from 'node:fs'
import { type Finding, checkConfiguration, checkPath } from './check-path.ts'
import { type Command, UsageError, printFaults, parseArguments } from '../command.ts'

export const check: Command = {
  help: `Usage: patient-risk check [PATH …] [--json]

Validate clinical files and the configuration.
Without a path: the package's clinical folder, the folders that CONFIG names, and the deployments.
A path is one of:
  a clinical folder         checked together with the package's own, as if CONFIG named it
  a folder of one scale or model, or its file
                            checked with the clinical folder that contains it, else with the package's own
  a configuration file      with the folders and deployments that it names

All faults are reported at once: file, place in the file, what is wrong, and the rule that is broken.

Options:
  --json    print the faults as a JSON array of {"file","path","rule","message"}; [] if all files are valid

Exit codes: 0 valid, 1 there are faults, 2 wrong usage.`,
  run(args) {
    const { positionals, values } = parseArguments(args, { flags: ['json'] }, true)
    for (const path of positionals) {
      if (statSync(path, { throwIfNoEntry: false }) === undefined)
        throw new UsageError(`There is nothing at ${path}.`)
    }
    const findings = positionals.length === 0 ? [checkConfiguration({})] : positionals.map(checkPath)
    return report(findings, values.json === true)
  },
}

function report(findings: readonly Finding[], asJson: boolean): number {
  const faults = findings.flatMap((finding) => finding.faults)
  if (asJson) process.stdout.write(`${JSON.stringify(faults)}\n`)
  else {
    if (faults.length > 0) printFaults(faults)
    for (const finding of findings) {
      if (finding.faults.length === 0) process.stdout.write(`${finding.summary}\n`)
    }
  }
  return faults.length > 0 ? 1 : 0
}
