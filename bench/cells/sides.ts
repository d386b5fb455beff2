/**
 * The same installation three times, on the same three servers: in one plain PostgreSQL, in one
 * cell on a node of a cluster, in four cells on two nodes. Each has four workspaces that do the
 * same, so that nothing but the place of their tables differs.
 */
import { serviceFlags } from '../../bin/flags.mjs'
import { addCell } from '../../src/database/cells/add-cell.ts'
import { cells } from '../../src/database/cells/cells.ts'
import { connect, type Connection } from '../../src/database/client/connect.ts'
import { migrate } from '../../src/database/schema/migrate.ts'
import { createClusterDatabase, type Nodes } from '../../test/cluster/start-nodes.ts'
import { runOn, withDatabaseName } from '../../test/support/database.ts'
import { freePort } from '../../test/support/free-port.ts'
import { programFile } from '../../test/support/program.ts'
import { startProgram, type Measurable } from '../accept/processes.ts'
import { apiSettings } from '../accept/measured-api.ts'
import { openShop, type Shop } from '../campaign/world.ts'

export const sideNames = ['plain', 'one_cell', 'four_cells'] as const
export type SideName = (typeof sideNames)[number]

export const workspacesOfSide = 4

export interface Side {
  name: SideName
  url: string
  /** Where each of its workspaces lives. */
  places: { cell: number; db: Connection }[]
}

export async function openSide(nodes: Nodes, name: SideName): Promise<Side> {
  const url = await makeDatabase(nodes, name)
  await migrate(url)
  // Cells of a node after the other.
  for (let added = 0; added < cellsOf[name]; added++) {
    const { hostname, port } = new URL(nodes.others[added % nodes.others.length] ?? '')
    await addCell(
      { connectionString: url, progress: () => undefined },
      { node: { host: hostname, port: Number(port) } },
    )
  }
  const home = connect({ connectionString: url, poolSize: 1 })
  const [first, ...added] = await cells(home)
  await home.end()
  const used = added.length > 0 ? added : first ? [first] : []
  const dbs = used.map(({ id, schema }) => ({
    cell: id,
    db: connect({ connectionString: url, schema, poolSize: 2, statementTimeoutMs: 120_000 }),
  }))
  return {
    name,
    url,
    places: Array.from({ length: workspacesOfSide }, (_, at) => dbs[at % dbs.length]!),
  }
}

const cellsOf: Record<SideName, number> = { plain: 0, one_cell: 1, four_cells: 4 }

/**
 * The plain one is a database of the coordinator's server without the extension, whose library does
 * nothing there.
 */
async function makeDatabase(nodes: Nodes, name: SideName): Promise<string> {
  if (cellsOf[name] > 0) return createClusterDatabase(nodes, name)
  await runOn(nodes.coordinator, `create database ${name}`)
  return withDatabaseName(nodes.coordinator, name)
}

/** New workspaces, with so many subscribers in all. */
export const openShops = (
  { places }: Side,
  baseUrl: string,
  subscribers: number,
): Promise<Shop[]> =>
  Promise.all(
    places.map(({ cell, db }) => openShop(db, baseUrl, subscribers / places.length, cell)),
  )

export interface Service extends Measurable {
  port: number
  baseUrl: string
}

export async function startService(
  { url }: Side,
  words: string[],
  settings: Record<string, string> = {},
): Promise<Service> {
  const port = await freePort()
  const program = await startProgram(
    [...serviceFlags, programFile, 'start', ...words],
    { ...apiSettings(url), ...settings, FACTEUR_PORT: String(port) },
    (line) => line.includes('"msg":"ready"'),
  )
  return { ...program, port, baseUrl: `http://127.0.0.1:${port}` }
}

export const closeSide = async ({ places }: Side): Promise<void> =>
  void (await Promise.all([...new Set(places.map(({ db }) => db))].map((db) => db.end())))

/** The first process of each server, whose children do the work. */
export const postmastersOf = ({ coordinator, others }: Nodes): Promise<number[]> =>
  Promise.all(
    [coordinator, ...others].map(async (url) =>
      parseInt(
        (await runOn(url, `select pg_read_file('postmaster.pid') as text`)).rows[0]?.text,
        10,
      ),
    ),
  )
