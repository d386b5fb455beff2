/** A cluster for the tests: a script starts a coordinator and nodes, and a template is made whose second cell is on a node. */
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { ADMIN_URL, OTHER_NODES, runOn, TEMPLATE, withDatabaseName } from '../support/database.ts'
import { freePort } from '../support/free-port.ts'
import { prepareDatabase } from '../support/postgres.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'

/** Why there is no cluster here; a fault of ours is no such reason. */
export class NoCluster extends Error {}

/** Sets the variables by which test files find it. Answers what ends it. Throws `NoCluster`. */
export async function startCluster(script: string | undefined): Promise<() => void> {
  if (!script) throw new NoCluster('FACTEUR_TEST_CLUSTER names no script that starts one (CONTRIBUTING.md)')
  const folder = makeTemporaryFolder('cluster')
  const port = String(await freePorts(3))
  const run = (...words: string[]): string => execFileSync(script, words, { encoding: 'utf8', stdio: 'pipe' })
  const stop = (): void => {
    run('stop', folder)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const coordinator = withDatabaseName(
      started(() => run('start', folder, port)),
      'postgres',
    )
    const others = await otherNodes(coordinator)
    const nodes = [coordinator, ...others]
    for (const node of nodes) for (const setting of settings) await runOn(node, `alter system set ${setting}`)
    run('stop', folder)
    run('start', folder, port)
    await makeTemplate(nodes)
    process.env[ADMIN_URL] = coordinator
    process.env[OTHER_NODES] = others.join(' ')
    return stop
  } catch (error) {
    stop()
    throw error
  }
}

/** The address of its database is the last line that the script writes. */
function started(run: () => string): string {
  try {
    return run().trim().split('\n').at(-1) ?? ''
  } catch (error) {
    const said = String((error as { stderr?: string }).stderr ?? error)
    throw new NoCluster(said.trim().split('\n').at(-1))
  }
}

/** As the database that the script made knows them. */
async function otherNodes(coordinator: string): Promise<string[]> {
  const { rows } = await runOn(
    withDatabaseName(coordinator, 'facteur'),
    'select nodename, nodeport from pg_dist_node where groupid <> 0',
  )
  return rows.map(({ nodename, nodeport }) => coordinator.replace(/@[^/]*/, `@${nodename}:${nodeport}`))
}

/** Many databases at once, which nobody needs after the tests. */
const settings = [
  'fsync = off',
  'full_page_writes = off',
  'max_connections = 400',
  'max_worker_processes = 64',
  // Triggers and functions of a cell read its tables on its node (docs/decisions/0060-cells.md).
  'citus.allow_nested_distributed_execution = on',
  // Scenarios note claims by triggers of their own.
  'citus.enable_unsafe_triggers = on',
]

/** A clone of it on each node is a cluster too: the nodes find each other's databases by their name. */
async function makeTemplate(nodes: string[]): Promise<void> {
  const [template = '', ...others] = nodes.map((node) => withDatabaseName(node, TEMPLATE))
  for (const node of nodes) await runOn(node, `create database ${TEMPLATE}`)
  for (const node of [template, ...others]) await runOn(node, 'create extension citus')
  const place = (node: string): string => `'${new URL(node).hostname}', ${new URL(node).port}`
  await runOn(template, `select citus_set_coordinator_host(${place(template)})`)
  for (const node of others) await runOn(template, `select citus_add_node(${place(node)})`)
  await prepareDatabase(template)
  for (const node of nodes) {
    await runOn(node, `alter database ${TEMPLATE} allow_connections false`)
    // Those of other nodes, and what maintains the extension.
    await runOn(node, `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${TEMPLATE}'`)
  }
}

/** The first of so many that follow each other. */
async function freePorts(count: number): Promise<number> {
  for (;;) {
    const first = await freePort()
    const free = await Promise.all(Array.from({ length: count }, (_, index) => isFree(first + index)))
    if (free.every(Boolean)) return first
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().on('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
