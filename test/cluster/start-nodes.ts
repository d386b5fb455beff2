/**
 * A coordinator and nodes for tests and measurements, started by a script that the caller names,
 * and databases on them.
 */
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { runOn, withDatabaseName } from '../support/database.ts'
import { freePort } from '../support/free-port.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'

/** Why there is no cluster here; a fault of ours is no such reason. */
export class NoCluster extends Error {}

export interface Nodes {
  /** Addresses of the database `postgres` on each. */
  coordinator: string
  others: string[]
  stop(): void
}

/** Throws `NoCluster`. `durable: true` measures commits; false is quicker. */
export async function startNodes(
  script: string | undefined,
  { durable }: { durable: boolean },
): Promise<Nodes> {
  if (!script)
    throw new NoCluster('FACTEUR_TEST_CLUSTER names no script that starts one (CONTRIBUTING.md)')
  const folder = makeTemporaryFolder('cluster')
  const port = String(await freePorts(3))
  const run = (...words: string[]): string =>
    execFileSync(script, words, { encoding: 'utf8', stdio: 'pipe' })
  const stop = (): void => {
    run('stop', folder)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const coordinator = withDatabaseName(
      started(() => run('start', folder, port), folder),
      'postgres',
    )
    const others = await otherNodes(coordinator)
    for (const node of [coordinator, ...others])
      for (const setting of [...settings, ...(durable ? [] : undurable)])
        await runOn(node, `alter system set ${setting}`)
    run('stop', folder)
    run('start', folder, port)
    return { coordinator, others, stop }
  } catch (error) {
    stop()
    throw error
  }
}

/** The address of its database is the last line that the script writes. */
function started(run: () => string, folder: string): string {
  try {
    return run().trim().split('\n').at(-1) ?? ''
  } catch (error) {
    const output = String((error as { stderr?: string }).stderr ?? error)
    throw new NoCluster([output.trim().split('\n').at(-1), ...fatalLines(folder)].join(' '))
  }
}

/**
 * Why a server did not start is in its own log alone, such as a PostgreSQL that is older than what
 * Citus was built for.
 */
const fatalLines = (folder: string): string[] =>
  globSync(`${folder}/*.log`).flatMap(
    (file) =>
      readFileSync(file, 'utf8')
        .match(/(?<=FATAL: +).*/g)
        ?.slice(-1) ?? [],
  )

/** As the database that the script made knows them. */
async function otherNodes(coordinator: string): Promise<string[]> {
  const { rows } = await runOn(
    withDatabaseName(coordinator, 'facteur'),
    'select nodename, nodeport from pg_dist_node where groupid <> 0',
  )
  return rows.map(({ nodename, nodeport }) =>
    coordinator.replace(/@[^/]*/, `@${nodename}:${nodeport}`),
  )
}

const settings = [
  'max_connections = 400',
  'max_worker_processes = 64',
  // Triggers and functions of a cell read its tables on its node (docs/decisions/0060-cells.md).
  'citus.allow_nested_distributed_execution = on',
  // Scenarios note claims by triggers of their own.
  'citus.enable_unsafe_triggers = on',
  // What a terminated session of the coordinator leaves prepared on a node keeps its locks until
  // then; by default for a minute.
  "citus.recover_2pc_interval = '5s'",
]

/** Many databases at once, which nobody needs after the tests. */
const undurable = ['fsync = off', 'full_page_writes = off']

/** A database of all nodes. Answers its address on the coordinator. */
export async function createClusterDatabase(
  { coordinator, others }: Nodes,
  name: string,
): Promise<string> {
  const [here = '', ...there] = [coordinator, ...others].map((node) => withDatabaseName(node, name))
  for (const node of [coordinator, ...others]) await runOn(node, `create database ${name}`)
  for (const node of [here, ...there]) await runOn(node, 'create extension citus')
  const positionOf = (node: string): string => `'${new URL(node).hostname}', ${new URL(node).port}`
  await runOn(here, `select citus_set_coordinator_host(${positionOf(here)})`)
  for (const node of there) await runOn(here, `select citus_add_node(${positionOf(node)})`)
  return here
}

/** The first of so many that follow each other. */
async function freePorts(count: number): Promise<number> {
  for (;;) {
    const first = await freePort()
    const free = await Promise.all(
      Array.from({ length: count }, (_, index) => isFree(first + index)),
    )
    if (free.every(Boolean)) return first
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().on('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
