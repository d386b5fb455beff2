/**
 * The cell of a workspace goes to another node of a cluster while outcomes are recorded: the
 * statement is repeated, and nothing is in doubt.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runOn } from '../../support/database.ts'
import {
  handedOver,
  ledgerRow,
  startRelayWorld,
  untilNothingLeased,
} from '../../support/relay-world.ts'

const world = await startRelayWorld()

/**
 * What Citus answers then (test/cluster/moves.ts): what an earlier part of the statement found is
 * on the old node.
 */
const lostPart = 'CIINF'

test('an outcome whose statement fell between two nodes is recorded by the next try', async () => {
  const workspace = await world.workspace('between nodes')
  await runOn(
    world.database.url,
    `create sequence outcomes_tried;
     create function lose_first() returns trigger language plpgsql as $$ begin
       if nextval('outcomes_tried') = 1 then raise exception 'no intermediate result' using errcode = '${lostPart}'; end if;
       return new;
     end $$;
     create trigger lose_first before update on recipient for each row
       when (new.workspace_id = ${workspace.id} and new.state = 'settled') execute function lose_first()`,
  )
  const id = await handedOver(world, workspace, { to: 'one@example.com' })
  await untilNothingLeased(world.service)
  const { rows } = await runOn(
    world.database.url,
    'select last_value::int as tries from outcomes_tried',
  )
  assert.deepEqual(rows, [{ tries: 2 }])
  assert.partialDeepStrictEqual(await ledgerRow(world, workspace, id), {
    status: 'sent',
    state: 'settled',
  })
})
