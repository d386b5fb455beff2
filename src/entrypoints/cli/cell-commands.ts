/**
 * `facteur cell …`: schemas, each with the tables of a share of the workspaces, on one server or on
 * the nodes of a cluster.
 */
import { shownBytes } from '../../ground/shown-values.ts'
import { nextOfMove } from '../../database/transport/move/next-of-move.ts'
import { addCell } from '../../database/cells/add-cell.ts'
import { cellSummaries, type CellSummary } from '../../database/cells/cell-list.ts'
import type { Node } from '../../database/cells/cluster.ts'
import { moveCell } from '../../database/cells/move-cell.ts'
import { connect } from '../../database/client/connect.ts'
import { migrate } from '../../database/schema/migrate.ts'
import {
  isUnfinished,
  workspaceMoves,
  type WorkspaceMove,
} from '../../database/transport/move/workspace-moves.ts'
import { defineCommand, type Surroundings } from './command.ts'
import { argument, flag } from './parameters.ts'
import { CommandRefusal } from './refusal.ts'
import { listed, shownNumber, printed } from './result.ts'
import { readWhole } from './values.ts'
import { defineDatabaseCommand } from './with-context.ts'

const readCell = readWhole(1, 10_000)

function readNode(text: string): Node {
  const [, host, port] = /^\[?([^[\]]+)\]?:(\d{1,5})$/.exec(text) ?? []
  if (host === undefined || port === undefined)
    throw new CommandRefusal(
      'usage',
      `"${text}" is no node: give HOST:PORT, as the cluster names it.`,
    )
  return { host, port: Number(port) }
}

const cellAdd = defineCommand({
  name: 'cell add',
  summary: 'Add a cell: a schema with the tables of a share of the workspaces',
  note: `New workspaces come to the cell with the fewest. On a database with the extension Citus the cell is handed to a node; elsewhere it is on the same
server. From then on processes of the previous release refuse this database: upgrade all of them first. A run that was cut off goes on when it is given again.
docs/scaling.md says when cells help.`.replaceAll('\n', ' '),
  flags: {
    node: flag(
      'HOST:PORT',
      'The node of the cluster that gets it; by itself the cluster chooses.',
      readNode,
    ),
  },
  examples: ['cell add', 'cell add --node 10.0.0.12:5432'],
  run: (surroundings, { node }) =>
    withSchema(surroundings, async (connectionString) => {
      const { id, schema } = await addCell({ connectionString, ...surroundings }, { node })
      const state = (await statesOf(connectionString)).find((summary) => summary.id === id)
      const location = state?.node ? ` on ${state.node}` : ''
      return printed(
        state ? toJson(state) : { id: String(id), schema },
        `Cell ${id} is ready (schema ${schema}${location}).
Next: facteur workspace create NAME --cell ${id}`,
      )
    }),
})

const cellList = defineDatabaseCommand({
  name: 'cell list',
  summary:
    'List the cells, with the workspaces and bytes of each, and the workspaces on their way to another one',
  examples: ['cell list'],
  run: ({ db }) =>
    listed({
      pages: onePage(async () => {
        const moves = (await workspaceMoves(db)).filter(isUnfinished)
        return (await cellSummaries(db)).map((cell) => ({
          ...cell,
          moves: moves.filter((move) => move.fromCell === cell.id),
        }))
      }),
      columns: [
        { title: 'ID', right: true, cell: ({ id }) => String(id) },
        { title: 'SCHEMA', cell: ({ schema }) => schema },
        { title: 'NODE', cell: ({ node }) => node ?? '' },
        { title: 'WORKSPACES', right: true, cell: ({ workspaces }) => shownNumber(workspaces) },
        { title: 'ON DISK', right: true, cell: ({ bytes }) => shownBytes(bytes) },
        { title: 'READY', cell: ({ isReady }) => (isReady ? 'yes' : 'no') },
        { title: 'LEAVING', cell: ({ moves }) => moves.map(moveCellText).join('; ') },
      ],
      json: ({ moves, ...cell }) => ({ ...toJson(cell), moves: moves.map(moveToJson) }),
      empty: '',
    }),
})

const cellMove = defineCommand({
  name: 'cell move',
  summary: 'Move a cell to another node of the cluster while its workspaces go on',
  note: 'By the replication of the extension Citus, which needs wal_level = logical on each node. Calls that write wait for a moment at the end. Cell 1 stays where the global tables are.',
  arguments: {
    CELL: argument('Its number, from cell list.', readCell),
    NODE: argument('HOST:PORT, as the cluster names it.', readNode),
  },
  examples: ['cell move 2 10.0.0.13:5432'],
  run: (surroundings, { CELL: cell, NODE: node }) =>
    withSchema(surroundings, async (connectionString) => {
      const before = await moveCell({ connectionString, ...surroundings }, { cell, node })
      const [from, to] = [before && textOf(before), textOf(node)]
      return printed(
        { id: String(cell), node: to, node_before: from },
        from === to
          ? `Cell ${cell} is on ${to} already; nothing was changed.`
          : `Cell ${cell} is on ${to}; it was on ${from ?? 'no node'}.`,
      )
    }),
})

const textOf = ({ host, port }: Node): string => `${host}:${port}`

export const cellCommands = [cellAdd, cellList, cellMove]

/** With this version's schema. */
export async function withSchema<T>(
  surroundings: Surroundings,
  work: (connectionString: string) => Promise<T>,
): Promise<T> {
  const { progress, signal } = surroundings
  const config = surroundings.readConfig()
  return surroundings.withDatabase(config, progress, async (connectionString) => {
    await surroundings.checkMasterKey(config, connectionString)
    await migrate(connectionString, { completesStatistics: false, progress, signal })
    return work(connectionString)
  })
}

async function statesOf(connectionString: string): Promise<CellSummary[]> {
  const db = connect({ connectionString, poolSize: 1, applicationName: 'facteur command' })
  try {
    return await cellSummaries(db)
  } finally {
    await db.end()
  }
}

function moveCellText({ slug, toCell, state, share, quietSeconds }: WorkspaceMove): string {
  const done = state === 'moved' ? 'rows are left' : `${state} ${Math.floor(share * 100)} %`
  return `${slug} to ${toCell}, ${done}, quiet for ${Math.floor(quietSeconds)} s`
}

const moveToJson = (move: WorkspaceMove): object => ({
  ...{
    workspace_id: String(move.workspaceId),
    workspace: move.slug,
    cell: move.fromCell,
    to_cell: move.toCell,
    state: move.state,
  },
  ...{
    share: move.share,
    began_at: move.beganAt.toISOString(),
    moved_at: move.movedAt?.toISOString() ?? null,
  },
  ...{ quiet_seconds: Math.floor(move.quietSeconds), next: nextOfMove(move) },
})

async function* onePage<Row>(read: () => Promise<Row[]>): AsyncGenerator<Row[]> {
  yield await read()
}

const toJson = ({ id, schema, node, workspaces, bytes, isReady }: CellSummary): object => ({
  ...{ id: String(id), schema, node, workspaces, bytes, ready: isReady },
})
