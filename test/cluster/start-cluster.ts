/**
 * A cluster for the tests: a coordinator and nodes, and a template whose second cell is on a node.
 */
import { ADMIN_URL, OTHER_NODES, runOn, TEMPLATE } from '../support/database.ts'
import { prepareDatabase } from '../support/postgres.ts'
import { createClusterDatabase, startNodes, type Nodes } from './start-nodes.ts'

/** Sets the variables by which test files find it. Answers what ends it. Throws `NoCluster`. */
export async function startCluster(script: string | undefined): Promise<() => void> {
  const nodes = await startNodes(script, { durable: false })
  try {
    await makeTemplate(nodes)
    process.env[ADMIN_URL] = nodes.coordinator
    process.env[OTHER_NODES] = nodes.others.join(' ')
    return nodes.stop
  } catch (error) {
    nodes.stop()
    throw error
  }
}

/**
 * A clone of it on each node is a cluster too: the nodes find each other's databases by their name.
 */
async function makeTemplate(nodes: Nodes): Promise<void> {
  await prepareDatabase(await createClusterDatabase(nodes, TEMPLATE))
  for (const node of [nodes.coordinator, ...nodes.others]) {
    await runOn(node, `alter database ${TEMPLATE} allow_connections false`)
    // Those of other nodes, and what maintains the extension.
    await runOn(
      node,
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${TEMPLATE}'`,
    )
  }
}
