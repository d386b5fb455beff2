/** Checks the nodes of a cluster before a cell comes to one: settings, and a privilege. */
import type pg from 'pg'
import { OperatorError } from '../../ground/operator-error.ts'

/** Throws `OperatorError` with a sentence for each thing that is missing. */
export async function checkNodes(client: pg.ClientBase): Promise<void> {
  const nodes = await readNodes(client)
  const missing = nodes.flatMap(({ node, answer }) =>
    typeof answer === 'string' ? [`${node} does not answer: ${answer}.`] : wrongOf(node, answer),
  )
  if (!nodes.some(({ isCoordinator }) => isCoordinator))
    missing.unshift(
      `The coordinator is not known to its nodes: select citus_set_coordinator_host('HOST', PORT), with the address by which they reach it.`,
    )
  if (missing.length > 0) throw new OperatorError(`${missing.join(' ')} Nothing was changed.`)
}

interface Settings {
  wal_level: string
  nested: string
  /** Of the database user, as the coordinator connects. */
  user: string
  mayReplicate: boolean
}

function wrongOf(
  node: string,
  { wal_level: walLevel, nested, user, mayReplicate }: Settings,
): string[] {
  const wrong: string[] = []
  if (nested !== 'on')
    wrong.push(
      `${node} has citus.allow_nested_distributed_execution = ${nested}, and triggers of a cell need "on": ALTER SYSTEM SET citus.allow_nested_distributed_execution = on; SELECT pg_reload_conf().`,
    )
  if (walLevel !== 'logical')
    wrong.push(
      `${node} has wal_level = ${walLevel}, and cells move by "logical": ALTER SYSTEM SET wal_level = logical, and restart it.`,
    )
  if (!mayReplicate)
    wrong.push(
      `${node} does not let the database user set session_replication_role, with which workspaces move: as a superuser there, GRANT SET ON PARAMETER session_replication_role TO ${user}.`,
    )
  return wrong
}

/** The coordinator among them. `answer`: its settings, or why there are none. */
async function readNodes(
  client: pg.ClientBase,
): Promise<{ node: string; isCoordinator: boolean; answer: Settings | string }[]> {
  const { rows } = await client.query<{
    node: string
    isCoordinator: boolean
    success: boolean
    result: string
  }>(
    `select n.nodename || ':' || n.nodeport as node, n.groupid = 0 as "isCoordinator", r.success, r.result
     from run_command_on_all_nodes($command$
       select jsonb_build_object(
         'wal_level', current_setting('wal_level'),
         'nested', current_setting('citus.allow_nested_distributed_execution'),
         'user', quote_ident(current_user),
         'mayReplicate', has_parameter_privilege('session_replication_role', 'set'))
     $command$, give_warning_for_connection_errors => true) r
     join pg_dist_node n on n.nodeid = r.nodeid order by n.nodeid`,
  )
  return rows.map(({ node, isCoordinator, success, result }) => ({
    node,
    isCoordinator,
    answer: success ? (JSON.parse(result) as Settings) : result,
  }))
}
