/**
 * `facteur workspace move` while the workspace sends: a campaign and many callers, two processes,
 * there and back. Each mail is in the sink once, and every 202 is found afterwards.
 * `FACTEUR_TEST_RECIPIENTS=20000` is the whole size, with holds that end by themselves.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '../../src/database/client/connect.ts'
import { findCellOf } from '../../src/database/cells/cells.ts'
import { endOldCaptures } from '../../src/database/transport/move/end-old-captures.ts'
import { createOperator, type Operator } from '../cli/facteur.ts'
import { playOnce } from '../faults/scenario.ts'
import { freshDatabase, runOn, testCell } from '../support/database.ts'
import { draftFor, sendOnce } from '../support/fault-campaign.ts'
import { readLedger } from '../support/fault-ledger.ts'
import { restartPort } from '../support/fault-port.ts'
import { settingsOf } from '../support/fault-process.ts'
import { openWorld, type Run } from '../support/fault-world.ts'
import { at } from '../support/json.ts'
import { programFile } from '../support/program.ts'
import { here, run as runProgram } from '../support/service.ts'
import { until } from '../support/until.ts'
import { patient, startCallers, whole } from '../support/callers.ts'
import { checkMailsOf } from './check-mails.ts'
import { rowsOfWorkspace } from './rows-of-workspace.ts'
import { makeTwoCells } from './two-cells-database.ts'

const contacts = Number(process.env['FACTEUR_TEST_RECIPIENTS'] ?? 400)
const isWhole = contacts >= whole.contacts
const callers = isWhole ? whole.callers : { count: 10 }
const skip = testCell === null ? false : 'it makes its own second cell'
const twoCells = skip ? freshDatabase : await makeTwoCells()

test(
  'a workspace moves there and back while it sends: each mail once, every 202 found, nothing left behind',
  { skip },
  () =>
    playOnce(async (run) => {
      const { world, ports, operator, move, sends } = await begin(run)
      const load = startCallers(run, { world, ports }, callers)
      const campaignId = await sends()
      await load.goesOn(callers.count * 2)
      const there = await move(2)
      assert.equal(await findCellOf(world.db, world.workspaceId), 2)
      await load.goesOn(callers.count * 2)
      assert.deepEqual(await rowsOfWorkspace(world.url, 'public', world.workspaceId), [])
      const back = await move(1)
      await load.goesOn(callers.count * 2)
      const { accepted, failures, repeated, longestMs } = await load.stop()
      assert.deepEqual(failures, [])
      assert.deepEqual(await rowsOfWorkspace(world.url, 'cell_2', world.workspaceId), [])
      await checkMailsOf(world, { schema: 'public', accepted, campaignId, contacts })
      for (const moved of [there, back]) {
        const pauseMs = Number(at(moved, 'pause_ms'))
        console.log(
          `# ${Number(at(moved, 'rows'))} rows, ${Number(at(moved, 'changes'))} changed meanwhile; the workspace waited for ${pauseMs} ms`,
        )
        assert.ok(pauseMs >= 0)
      }
      console.log(
        `# ${accepted.size} calls were accepted, ${repeated} repeated; the longest took ${longestMs} ms`,
      )
      await operator.refused(['workspace', 'move', 'faults', '1'], {
        code: 'failed',
        exit: 1,
        message: /in cell 1 already/,
      })
    }),
)

test('a move that is killed at any step goes on with the same line', { skip }, () =>
  playOnce(async (run) => {
    const { world, ports, operator, move, sends } = await begin(run)
    const load = startCallers(run, { world, ports }, { count: 4 })
    const campaignId = await sends()
    for (const step of steps) {
      const output = await operator.run(['workspace', 'move', 'faults', '2', '--json'], {
        FACTEUR_FAILPOINTS: `workspace.${step}:kill`,
      })
      assert.notEqual(output.code, 0, `${step}: ${output.stdout.toString()}${output.stderr}`)
      await hastenEndOfPause(world.url)
      // Whatever the step, calls are accepted again: the hold of a command that is gone ends by
      // itself.
      await load.goesOn(4)
    }
    await move(2)
    await load.goesOn(8)
    const { accepted, failures } = await load.stop()
    assert.deepEqual(failures, [])
    assert.deepEqual(await rowsOfWorkspace(world.url, 'public', world.workspaceId), [])
    await checkMailsOf(world, { schema: 'cell_2', accepted, campaignId, contacts })
  }),
)

test(
  'a move that was killed is shown, and is given up until it has switched; its triggers go in the end',
  { skip },
  () =>
    playOnce(async (run) => {
      const { world, ports, operator, move, sends } = await begin(run)
      const load = startCallers(run, { world, ports }, { count: 4 })
      const campaignId = await sends()
      await killedAt(operator, 'copied')
      assert.partialDeepStrictEqual(
        at(await operator.json(['cell', 'list']), 'data', '0', 'moves', '0'),
        {
          ...{ workspace: 'faults', cell: 1, to_cell: 2, state: 'copying' },
          next: 'Run facteur workspace move faults 2 to go on, or facteur workspace move faults 2 --cancel to give it up.',
        },
      )
      const doctor = (await operator.run(['doctor'])).stdout.toString()
      assert.match(
        doctor,
        /workspace faults from cell 1 to cell 2 was left behind at \d+ %.*quiet for 1 min/,
      )
      const metrics = await (await fetch(`${world.addressOf(ports[0])}/metrics`)).text()
      assert.match(
        metrics,
        /^facteur_workspace_move_share\{workspace="faults",from="1",to="2",state="copying"\} [\d.]+$/m,
      )
      assert.match(
        metrics,
        /^facteur_workspace_move_quiet_seconds\{workspace="faults",from="1",to="2",state="copying"\} [\d.]+$/m,
      )
      assert.deepEqual(await operator.json(['workspace', 'move', 'faults', '2', '--cancel']), {
        ...{ id: String(world.workspaceId), cell: 1, cancelled: true },
      })
      assert.deepEqual(await rowsOfWorkspace(world.url, 'cell_2', world.workspaceId), [])
      assert.deepEqual(await leftOfMoves(world.url), {
        triggers: 0,
        gates: 0,
        changes: 0,
        moves: 0,
      })
      assert.partialDeepStrictEqual(
        await operator.json(['workspace', 'move', 'faults', '2', '--cancel']),
        { cancelled: false },
      )
      await load.goesOn(8)
      await killedAt(operator, 'switched')
      await operator.refused(['workspace', 'move', 'faults', '2', '--cancel'], {
        ...{ code: 'failed', exit: 1, message: /The workspace is in cell 2 already/ },
      })
      await move(2)
      await load.goesOn(8)
      const { accepted, failures } = await load.stop()
      assert.deepEqual(failures, [])
      await checkMailsOf(world, { schema: 'cell_2', accepted, campaignId, contacts })

      // Late writers are refused until no process can believe the old cell.
      const old = connect({ connectionString: world.url, poolSize: 2 })
      run.after(() => old.end())
      await endOldCaptures(old)
      const before = await leftOfMoves(world.url)
      assert.ok(Number(before.triggers) > 0 && before.moves === 1, JSON.stringify(before))
      await runOn(
        world.url,
        "update workspace_move set moved_at = moved_at - interval '11 minutes'",
      )
      // A table in use is left to the next round.
      const end = async () => {
        await endOldCaptures(old)
        return leftOfMoves(world.url)
      }
      const left = await until(end, ({ triggers, moves }) => triggers === 0 && moves === 0)
      assert.deepEqual(left, { triggers: 0, gates: 0, changes: 0, moves: 0 })
    }),
)

async function killedAt(operator: Operator, step: string): Promise<void> {
  const { code } = await operator.run(['workspace', 'move', 'faults', '2'], {
    FACTEUR_FAILPOINTS: `workspace.${step}:kill`,
  })
  assert.notEqual(code, 0, step)
}

/** In both cells. */
async function leftOfMoves(url: string): Promise<Record<string, number>> {
  const { rows } = await runOn(
    url,
    `select (select count(*)::int from pg_trigger t join pg_proc p on p.oid = t.tgfoid where p.proname = 'facteur_capture_move') as triggers,
       (select count(*)::int from public.move_gate) + (select count(*)::int from cell_2.move_gate) as gates,
       (select count(*)::int from public.move_change) + (select count(*)::int from cell_2.move_change) as changes,
       (select count(*)::int from workspace_move) as moves`,
  )
  return rows[0] as Record<string, number>
}

/** In the order in which a move comes to them. */
const steps = [
  'captured',
  'copied_table',
  'copied',
  'compared',
  'held',
  'closed',
  'before_switch',
  'switched',
  'cleared_table',
]

/**
 * A hold that is left behind takes half a minute to end; the small size spares that, and the
 * processes end it.
 */
async function hastenEndOfPause(url: string): Promise<void> {
  if (!isWhole)
    await runOn(url, "update workspace_move set held_until = facteur_now() where state = 'held'")
}

test('a move whose old cell does not refuse stale writers is noticed', { skip }, () =>
  playOnce(async (run) => {
    const { world, ports, env, sends } = await begin(run)
    const load = startCallers(run, { world, ports }, { count: 4 })
    await sends()
    await load.goesOn(8)
    const location = 'workspace.before_switch'
    const moving = runProgram(
      { after: (end) => run.after(async () => end()) },
      process.execPath,
      [programFile, ...move2],
      {
        ...{
          cwd: here,
          env: { ...env, FACTEUR_FAILPOINTS: `workspace.gate:broken,${location}:hold` },
        },
      },
    )
    await moving.saying(`failpoint ${location} holds`)
    // The old cell takes calls after its last changes were copied: here those of processes that have
    // not heard of the hold.
    const setState = (state: string) =>
      runOn(
        world.url,
        `update workspace_move set state = '${state}', held_until = facteur_now() + interval '10 minutes'`,
      )
    await setState('copying')
    await load.goesOn(4)
    await setState('held')
    moving.child.kill('SIGUSR2')
    const { code } = await moving.ended
    const { accepted } = await load.stop()
    const there = connect({ connectionString: world.url, schema: 'cell_2', poolSize: 1 })
    run.after(() => there.end())
    const known = new Set(
      (await readLedger(there, world.workspaceId)).map(({ messageId }) => messageId),
    )
    const lost = [...accepted.keys()].filter((id) => !known.has(id))
    assert.ok(
      lost.length > 0,
      'calls that the old cell took after the last changes are not in the new one',
    )
    assert.notEqual(code, 0)
    assert.match(moving.output(), /are not those that have moved/)
  }),
)

const move2 = ['workspace', 'move', 'faults', '2', '--json']

async function begin(run: Run) {
  const world = await openWorld(run, { database: await twoCells(run) })
  const ports = [await restartPort(), await restartPort()] as const
  const env = settingsOf({
    databaseUrl: world.url,
    port: ports[0],
    smtpUrl: null,
    failpoints: [],
    settings: {},
  })
  const operator = createOperator(env)
  const settings = { ...patient, ...(isWhole && whole.settings) }
  await Promise.all(ports.map((port) => world.start({ role: 'all', port, settings })))
  return {
    ...{ world, ports, operator, env },
    async sends(): Promise<string> {
      const id = await draftFor(world, { port: ports[0], contacts })
      const sent = await sendOnce(world, ports[0], id)
      assert.ok(typeof sent !== 'string' && sent.status === 202, JSON.stringify(sent))
      return id
    },
    move: async (cell: number): Promise<unknown> => {
      const output = await operator.run(['workspace', 'move', 'faults', String(cell), '--json'])
      assert.equal(output.code, 0, `${output.stdout.toString()}${output.stderr}`)
      return JSON.parse(output.stdout.toString())
    },
  }
}
