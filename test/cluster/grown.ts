/**
 * The journey of somebody who outgrows one machine: an installation on one PostgreSQL with a
 * workspace that sends becomes the coordinator of a cluster, a cell comes to a node, and the
 * workspace moves there. The service runs and callers send all the while: no call fails.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { connect } from '../../src/database/client/connect.ts'
import { migrate } from '../../src/database/schema/migrate.ts'
import { whileSchemaIsLocked } from '../../src/database/schema/schema-lock.ts'
import { renewSharedTables, sharedTables } from '../../src/database/schema/shared-tables.ts'
import { makePartition } from '../../src/database/partitions/partitions.ts'
import { startCallers } from '../support/callers.ts'
import { rowsOfWorkspace } from '../cells/rows-of-workspace.ts'
import { createOperator } from '../cli/facteur.ts'
import { playOnce } from '../faults/scenario.ts'
import {
  ADMIN_URL,
  OTHER_NODES,
  runOn,
  withDatabaseName,
  type TestDatabase,
} from '../support/database.ts'
import { readLedger } from '../support/fault-ledger.ts'
import { restartPort } from '../support/fault-port.ts'
import { settingsOf } from '../support/fault-process.ts'
import { openWorld, type Run } from '../support/fault-world.ts'
import { at } from '../support/json.ts'
import { until } from '../support/until.ts'

const callers = 4

test('an installation in use gets nodes and a cell on one, and its workspace moves there: no call fails, each mail leaves once', () =>
  playOnce(async (run) => {
    const { database, nodes } = await plainDatabase(run)
    const world = await openWorld(run, { database })
    const port = await restartPort()
    const operator = createOperator(
      settingsOf({ databaseUrl: world.url, port, smtpUrl: null, failpoints: [], settings: {} }),
    )
    await world.start({ role: 'all', port })
    const load = startCallers(run, { world, ports: [port] }, { count: callers })
    await load.goesOn(callers)

    await becomeCluster(world.url, nodes)
    await load.goesOn(callers)
    const node = addressIn(nodes[0] ?? '')
    const setting = 'citus.allow_nested_distributed_execution'
    await alterHere(nodes[0] ?? '', `set ${setting} = off`)
    await operator.refused(['cell', 'add', '--node', node], {
      ...{ code: 'failed', exit: 1 },
      message: new RegExp(
        `^${node} has ${setting} = off, and triggers of a cell need "on": .* Nothing was changed\\.$`,
        'm',
      ),
    })
    await alterHere(nodes[0] ?? '', `reset ${setting}`)
    await operator.json(['cell', 'add', '--node', node])
    await load.goesOn(callers * 2)
    assert.equal(
      at(await operator.json(['workspace', 'create', 'acme']), 'cell'),
      2,
      'cell 1 gets no more of them',
    )
    await operator.json(['workspace', 'create', 'stays', '--cell', '1'])
    assert.deepEqual(await differing(world.url), [])

    const moved = await operator.json(['workspace', 'move', 'faults', '2'])
    console.log(
      `# ${Number(at(moved, 'rows'))} rows; the workspace waited for ${Number(at(moved, 'pause_ms'))} ms`,
    )
    await load.goesOn(callers * 2)
    const { accepted, failures } = await load.stop()
    assert.deepEqual(failures, [])
    assert.deepEqual(await rowsOfWorkspace(world.url, 'public', world.workspaceId), [])

    const there = connect({ connectionString: world.url, schema: 'cell_2', poolSize: 1 })
    run.after(() => there.end())
    const ledger = await readLedger(there, world.workspaceId)
    assert.deepEqual(new Set(ledger.map(({ messageId }) => messageId)), new Set(accepted.keys()))
    await until(
      () => world.mails().length,
      (count) => count >= accepted.size,
      60_000,
    )
    assert.deepEqual(
      world
        .mails()
        .flatMap(({ to }) => to)
        .toSorted(),
      [...accepted.values()].toSorted(),
    )

    // Samples for the planner leave a new partition before it is attached.
    const fromMs = Date.UTC(2040, 0, 1)
    const feedback = {
      table: 'feedback',
      class: 'delivery_details',
      key: 'received_at',
      keyType: 'timestamptz',
    } as const
    await there.transaction((tx) =>
      makePartition(tx, feedback, { fromMs, toMs: fromMs + 86_400_000, isCurrent: false }),
    )

    // What a cell changes of a global table is in the table itself and in the copy that the nodes
    // read.
    await operator.json([
      'workspace',
      'set',
      'faults',
      '--language',
      'fr',
      '--rate-per-minute',
      '1234',
    ])
    assert.equal(
      (
        await runOn(
          world.url,
          "select from public.workspace where slug = 'faults' and language = 'fr'",
        )
      ).rowCount,
      1,
    )
    assert.deepEqual(await differing(world.url), [])
    await changeShape(world.url)
    assert.deepEqual(await differing(world.url), [])
    const checks = at(await operator.json(['doctor']), 'checks') as {
      name: string
      message: string
    }[]
    assert.deepEqual(
      checks.filter(({ name }) => name === 'cells').map(({ message }) => message),
      ['cell 1: takes every kind of statement', 'cell 2: takes every kind of statement'],
    )
  }))

/** A database on the coordinator that knows no nodes, and databases without tables on these. */
async function plainDatabase(run: Run): Promise<{ database: TestDatabase; nodes: string[] }> {
  const name = `grown_${process.pid}_${randomBytes(4).toString('hex')}`
  const servers = [process.env[ADMIN_URL] ?? '', ...(process.env[OTHER_NODES] ?? '').split(' ')]
  for (const server of servers) {
    await runOn(server, `create database ${name}`)
    run.after(() => runOn(server, `drop database ${name} with (force)`))
  }
  const [url = '', ...nodes] = servers.map((server) => withDatabaseName(server, name))
  await migrate(url)
  const connection = connect({ connectionString: url, poolSize: 5 })
  run.after(() => connection.end())
  return { database: { url, connection }, nodes }
}

/** As docs/scaling.md has it. */
async function becomeCluster(url: string, nodes: readonly string[]): Promise<void> {
  for (const server of [url, ...nodes]) await runOn(server, 'create extension citus')
  const { hostname, port } = new URL(url)
  await runOn(url, `select citus_set_coordinator_host('${hostname}', ${port})`)
  for (const node of nodes)
    await runOn(url, `select citus_add_node('${new URL(node).hostname}', ${new URL(node).port})`)
}

/**
 * The database on this node alone: by itself Citus takes such a change on the coordinator, for all
 * nodes.
 */
const alterHere = (url: string, change: string): Promise<unknown> =>
  runOn(
    url,
    `set citus.enable_ddl_propagation = off; alter database ${new URL(url).pathname.slice(1)} ${change}`,
  )

const addressIn = (url: string): string => new URL(url).host

/** As a migration does that gives a global table a column; the service goes on. */
async function changeShape(url: string): Promise<void> {
  await runOn(url, 'alter table public.workspace add column of_later int not null default 5')
  await whileSchemaIsLocked({ connectionString: url, progress }, (client) =>
    renewSharedTables(client, { progress }),
  )
  await runOn(url, 'update public.workspace set of_later = 6')
}

const progress = (): void => undefined

/** The global tables whose copies for the nodes have other rows. */
async function differing(url: string): Promise<string[]> {
  const matches: string[] = []
  for (const table of sharedTables) {
    const rowsOf = async (schema: string): Promise<unknown[]> =>
      (await runOn(url, `select t::text as row from ${schema}.${table} t order by 1`)).rows
    const [here, copy] = [await rowsOf('public'), await rowsOf('facteur_shared')]
    if (JSON.stringify(here) !== JSON.stringify(copy)) matches.push(table)
  }
  return matches
}
