/** Runs commands that need the database: opens it, migrates it and closes it around each. */
import type { Log } from '../../ground/log.ts'
import { findProvider } from '../../core/workspaces/set-provider.ts'
import { homeCell } from '../../database/cells/cell-changes.ts'
import { cells, type Cell } from '../../database/cells/cells.ts'
import { connect, type Connection } from '../../database/client/connect.ts'
import { migrate } from '../../database/schema/migrate.ts'
import { createFailpoints } from '../../ground/failpoints.ts'
import { makeIds } from '../../ground/ids.ts'
import { createLinkTokens } from '../../ground/link-tokens.ts'
import { providerKinds } from '../../providers/registry.ts'
import {
  buildCommand,
  type Arguments,
  type Command,
  type CommandContext,
  type CommandInput,
  type Described,
  type Flags,
  type Runs,
  type Surroundings,
} from './command.ts'

/** As `defineCommand`, with a database. */
export const defineDatabaseCommand = <const A extends Arguments = {}, const F extends Flags = {}>(
  described: Described<A, F> & Runs<CommandContext, CommandInput<A, F>>,
): Command => buildCommand(described, withContext)

async function withContext<T>(
  surroundings: Surroundings,
  work: (ctx: CommandContext) => Promise<T>,
): Promise<T> {
  const { clock, progress, signal, meter } = surroundings
  const config = surroundings.readConfig()
  const failpoints = createFailpoints(config.failpoints, clock)
  return surroundings.withDatabase(config, progress, async (connectionString) => {
    await surroundings.checkMasterKey(config, connectionString)
    await migrate(connectionString, { completesStatistics: false, progress, signal })
    const open = ({ schema }: Cell) =>
      connect({ connectionString, schema, poolSize: 2, applicationName: 'facteur command' })
    const db = open(homeCell)
    const others = new Map<number, CommandContext & { db: Connection }>()
    const outbound = surroundings.openOutbound(config)
    const openSecrets = () => surroundings.openSecrets(config, db)
    try {
      const captures = (from: Connection) => async (workspaceId: number) =>
        providerKinds[
          (await findProvider({ db: from }, workspaceId))?.stored.type ?? config.provider
        ].captures ?? false
      const enter = (cell: Cell): CommandContext => {
        const known = others.get(cell.id)
        if (known || cell.id === homeCell.id) return known ?? home
        const there = open(cell)
        const opened = { ...home, databaseId: cell.id, db: there, captures: captures(there) }
        others.set(cell.id, opened)
        return opened
      }
      const home: CommandContext = {
        databaseId: homeCell.id,
        async inCell(id) {
          if (id === homeCell.id) return home
          const cell = (await cells(db)).find((each) => each.id === id)
          if (!cell) throw new Error(`Cell ${id} is not ready`)
          return enter(cell)
        },
        inCells: async () => (await cells(db)).map(enter),
        ...{ db, clock, failpoints, signal, meter },
        makeId: makeIds(() => clock.now().getTime()),
        settings: await surroundings.settingsOf(config, db),
        outbound,
        captures: captures(db),
        openLinkTokens: async () => createLinkTokens((await openSecrets()).derive('links')),
        openSecrets,
        resolver: surroundings.openResolver(config),
        readVariable: (name) => surroundings.readVariable(name),
        log: silentLog,
        // Workers poll within a second: a connection only for the hint would cost more than it
        // saves.
        wake: () => undefined,
      }
      return await work(home)
    } finally {
      await outbound.close()
      await Promise.all(
        [db, ...[...others.values()].map((other) => other.db)].map((each) => each.end()),
      )
    }
  })
}

/** Commands log nothing: the result is their answer. */
const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}
