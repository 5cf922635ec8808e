/** `patient-risk audit accept-loss`: lets the service start on a store that has lost rows, and records that in the chain. */
import { type Command, Refusal, configOrRefusal, parseArguments, printOutput } from '../command.ts'
import { lossOf, recordCommand, withStore } from '../with-store.ts'

export const auditAcceptLoss: Command = {
  help: `Usage: patient-risk audit accept-loss [--yes]

Says what the store has lost since its newest anchor, and which entries of the audit queue were not written by the
service. With --yes both are accepted: a row of the chain records it, the old anchors are put aside, those entries
are removed, and the service starts again. Stop it first. Keys that were revoked after the last row of this store
work again: list them and revoke them once more.

Options:
  --yes  accept the loss

Exit codes: 0 nothing was lost, or it is accepted, 1 something was lost, 2 wrong usage.`,
  run(args) {
    const { values } = parseArguments(args, { flags: ['yes'] })
    return withStore(
      async (open) => {
        const { store, anchorFile } = open
        const loss = await lossOf(open)
        const { refused = [] } = await store.chainEnds()
        const found = [
          ...(loss === undefined ? [] : [loss]),
          ...(refused.length === 0
            ? []
            : [`Entries of the queue that are not the service's: ${refused.join(', ')}.`]),
        ]
        if (found.length === 0) return printOutput('Nothing was lost.\n')
        if (values.yes !== true)
          throw new Refusal([...found, 'To accept it: patient-risk audit accept-loss --yes'].join('\n'))
        const anchor = anchorFile.read().at(-1)
        const subject = loss === undefined || anchor === undefined ? '' : ` ${anchor.seq}:${anchor.hash}`
        await recordCommand(store, 'audit accept-loss', `${refused.length} entries removed${subject}`)
        await store.removeRefused()
        const aside = loss === undefined ? undefined : anchorFile.putAside(new Date())
        const ends = await store.chainEnds()
        await anchorFile.write(ends)
        const note = aside === undefined ? '' : ` The old anchors are in ${aside}.`
        return printOutput(`${found.join('\n')}\nAccepted, and recorded as row ${ends.head.seq}.${note}\n`)
      },
      configOrRefusal(),
      { isAnyState: true, mayMake: values.yes === true },
    )
  },
}
