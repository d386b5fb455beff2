/**
 * On a cluster: a workspace moves to a cell on another node, then that cell moves to the first
 * node, while a campaign of 20,000 leaves and 50 callers send. The sink has each mail once, and
 * every 202 is found. What waits at the end of each move is printed.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '../../src/database/client/connect.ts'
import { sql } from '../../src/database/client/sql.ts'
import { createOperator } from '../cli/facteur.ts'
import { patient, startCallers, whole } from '../support/callers.ts'
import { checkMailsOf } from '../cells/check-mails.ts'
import { rowsOfWorkspace } from '../cells/rows-of-workspace.ts'
import { playOnce } from '../faults/scenario.ts'
import { runOn } from '../support/database.ts'
import { draftFor, sendUntilAnswered } from '../support/fault-campaign.ts'
import { restartPort } from '../support/fault-port.ts'
import { settingsOf } from '../support/fault-process.ts'
import { openWorld, type World } from '../support/fault-world.ts'
import { at } from '../support/json.ts'

const { callers, settings } = whole
const contacts = Number(process.env['FACTEUR_TEST_RECIPIENTS'] ?? whole.contacts)

test(`a workspace moves to a cell on another node, and that cell to the first one, while ${contacts} recipients and ${callers.count} callers have mail`, () =>
  playOnce(async (run) => {
    const world = await openWorld(run)
    const ports = [await restartPort(), await restartPort()] as const
    const operator = createOperator(
      settingsOf({
        databaseUrl: world.url,
        port: ports[0],
        smtpUrl: null,
        failpoints: [],
        settings: {},
      }),
    )
    const [first, second] = await nodesOf(world)
    // The template keeps new workspaces out of cell 1, as of one that an earlier run has begun.
    await runOn(world.url, 'update public.cell set is_ready = true where id = 1')
    await operator.json(['cell', 'add', '--node', second])
    for (const port of ports)
      await world.start({ role: 'all', port, settings: { ...patient, ...settings } })
    const there = connect({ connectionString: world.url, schema: 'cell_3', poolSize: 1 })
    run.after(() => there.end())
    const campaignId = await draftFor(world, { port: ports[0], contacts })
    const sent = await sendUntilAnswered(world, ports[0], campaignId)
    assert.equal(typeof sent === 'string' ? sent : sent.status, 202)
    const load = startCallers(run, { world, ports }, callers)
    await load.goesOn(callers.count * 2)

    const moved = await operator.json(['workspace', 'move', 'faults', '3'])
    assert.ok(
      (await pendingOf(world, there, campaignId)) > 0,
      'the campaign has outlasted the first move',
    )
    await load.goesOn(callers.count * 2)
    const afterFirst = load.soFar()
    console.log(
      `# workspace move: ${Number(at(moved, 'rows'))} rows, ${Number(at(moved, 'changes'))} changed meanwhile; it waited for ${Number(at(moved, 'pause_ms'))} ms, the longest call for ${afterFirst.longestMs} ms`,
    )
    assert.deepEqual(await rowsOfWorkspace(world.url, 'cell_2', world.workspaceId), [])

    load.forgetLongest()
    await operator.json(['cell', 'move', '3', first])
    assert.ok(
      (await pendingOf(world, there, campaignId)) > 0,
      'the campaign has outlasted the second move',
    )
    await load.goesOn(callers.count * 2)
    const { accepted, failures, repeated, longestMs } = await load.stop()
    console.log(
      `# cell move: the longest call took ${longestMs} ms; ${accepted.size} calls accepted in all, ${repeated} answered 503 and repeated`,
    )
    assert.deepEqual(failures, [])
    assert.equal(at(await operator.json(['cell', 'list']), 'data', '2', 'node'), first)
    await checkMailsOf(world, { schema: 'cell_3', accepted, campaignId, contacts })
  }))

const pendingOf = (world: World, db: World['db'], campaignId: string): Promise<number> =>
  db.onlyValue<number>(sql`
    select pending from campaign_run where workspace_id = ${world.workspaceId} and campaign_id = ${campaignId}`)

/** The one that has cell 2, and another one. */
async function nodesOf({ db }: World): Promise<[string, string]> {
  const nodes = await db.column<string>(sql`
    select nodename || ':' || nodeport from pg_dist_node where groupid <> 0 order by nodeport <> (
      select nodeport from citus_shards where table_name = 'recipient'::regclass limit 1)`)
  const [first, second] = nodes
  return first !== undefined && second !== undefined
    ? [first, second]
    : assert.fail(`too few nodes: ${nodes.join()}`)
}
