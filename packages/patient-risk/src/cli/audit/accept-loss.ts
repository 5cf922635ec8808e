/** `patient-risk audit accept-loss`: lets the service start on a store that has lost rows, and records that in the chain. */
import { Refusal, command, configOrRefusal, printOutput } from '../command.ts'
import { lossOf, recordCommand, withStore } from '../with-store.ts'

export const auditAcceptLoss = command({ flags: ['yes'] }, ({ yes }) =>
  withStore(
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
      if (yes !== true)
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
    { isAnyState: true, mayMake: yes === true },
  ),
)
