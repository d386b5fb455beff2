/** The commands of `facteur restore`, in the order in which an operator needs them. */
import { withholdPending, markRestoredByOthers } from '../../../db/restore/withhold-pending.ts'
import { withheldByWorkspace } from '../../../db/restore/withheld-counts.ts'
import { takeSwitchedCopy } from '../../../core/restore/activate-target.ts'
import { connect } from '../../../database/client/connect.ts'
import { migrate } from '../../../database/schema/migrate.ts'
import { runningProcesses } from '../../../database/transport/copy-state.ts'
import { findMove } from '../../../database/transport/copy/find-move.ts'
import { defineCommand } from '../command.ts'
import { confirm } from '../confirm.ts'
import { CommandRefusal } from '../refusal.ts'
import { printed } from '../result.ts'
import { restoreEvents } from './events-command.ts'
import { restoreDiscard, restoreRelease, restoreReview } from './decide-commands.ts'
import { withheldLines, jsonOfWithheld } from './withheld-words.ts'
import { restoreCommand } from './restore-command.ts'

const restoreHold = defineCommand({
  name: 'restore hold',
  summary:
    'Hold what is pending in a database that other tools restored, before the service starts on it',
  note: `After pg_restore, a recovery to a point in time, or a snapshot of a disk. facteur restore does it by itself. It also puts the target of
facteur database copy into use, where the old database was lost for good in the middle of the switch.`.replaceAll(
    '\n',
    ' ',
  ),
  flags: { yes: { text: 'Does not ask.' } },
  examples: ['restore hold --yes'],
  run: async (surroundings, { yes }) => {
    const config = surroundings.readConfig()
    return surroundings.withDatabase(config, surroundings.progress, async (connectionString) => {
      const running = await runningProcesses(connectionString)
      if (running > 0)
        throw new CommandRefusal(
          'refused',
          `The service runs on this database (${running === 1 ? '1 process' : `${running} processes`}), and goes on sending: stop it first. Nothing was changed.`,
        )
      const { isSwitched } = await findMove(connectionString)
      if (!yes)
        await confirm(
          `${isSwitched ? lostSource : ''}Everything that is pending now would be held until it is released.`,
          'hold',
        )
      await surroundings.checkMasterKey(config, connectionString, { takesSwitchedCopy: true })
      await migrate(connectionString, { completesStatistics: false })
      await markRestoredByOthers(connectionString)
      await withholdPending(connectionString)
      // Last: until then a start refuses it.
      if (isSwitched) await takeSwitchedCopy(connectionString)
      const db = connect({ connectionString, poolSize: 1, applicationName: 'facteur restore' })
      try {
        const withheld = await withheldByWorkspace(db)
        return printed(
          { data: withheld.map(jsonOfWithheld) },
          withheldLines(withheld, { now: surroundings.clock.now(), isReview: false }).join('\n'),
        )
      } finally {
        await db.end()
      }
    })
  },
})

/** This database cannot know what the other one did after the moment of the switch. */
const lostSource =
  `This database is a copy of another one, of the moment of a switch that may not have been decided. If the other one has worked
since, that work is missing here, and both would send the same mail: go on only if it is lost for good, and never start it again. `.replaceAll(
    '\n',
    ' ',
  )

export const restoreCommands = [
  restoreReview,
  restoreEvents,
  restoreRelease,
  restoreDiscard,
  restoreHold,
  restoreCommand,
]
