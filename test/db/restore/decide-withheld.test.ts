/**
 * The decision on what a restore held: in steps, each of which stays decided, on tables that nobody
 * has counted yet.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideWithheldOfWorkspace } from '../../../src/core/restore/decide-withheld.ts'
import { withheldInWorkspace, withheldPieces } from '../../../src/db/restore/withheld-counts.ts'
import { makeIds } from '../../../src/ground/ids.ts'
import { freshDatabase, runOn } from '../../support/database.ts'

const { url, connection } = await freshDatabase()
const ctx = { db: connection, makeId: makeIds(() => Date.now()), wake: () => undefined }
const nth = `('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid`
const withheld = { delivery: 12_001, sign_up: 6_001, import: 5_000 }
const pieces = 12_001 + 6_001 + 5_000
await runOn(
  url,
  `insert into plan values ('default', null);
   insert into workspace (id, slug, name, plan, created_at) select n, 'w' || n, 'w', 'default', facteur_now() from generate_series(1, 2) n;
   ${Object.entries(withheld)
     .map(
       ([kind, rows]) =>
         `insert into held_work (workspace_id, kind, id, part) select w, '${kind}', ${nth}, ${nth}
          from generate_series(1, 2) w, generate_series(1, ${rows}) n`,
     )
     .join(';')}`,
)

const left = async (workspaceId: number): Promise<number> =>
  withheldPieces(await withheldInWorkspace(connection, workspaceId))

for (const [workspaceId, decision] of [
  [1, 'release'],
  [2, 'discard'],
] as const)
  test(`${decision}: what was decided before an interruption stays so, another run does the rest, and both say how far they are`, async () => {
    const stop = new AbortController()
    const steps: number[] = []
    const interrupted = decideWithheldOfWorkspace(ctx, {
      ...{ workspaceId, decision, signal: stop.signal },
      onProgress: (decided) => {
        steps.push(decided)
        if (decided === 10_000) stop.abort(new Error('stopped'))
      },
    })
    await assert.rejects(interrupted, { message: 'stopped' })
    assert.deepEqual(steps, [0, 5_000, 10_000])
    assert.equal(await left(workspaceId), pieces - 10_000)

    steps.length = 0
    const rest = {
      workspaceId,
      decision,
      signal: new AbortController().signal,
      onProgress: (decided: number) => void steps.push(decided),
    }
    const decided = await decideWithheldOfWorkspace(ctx, rest)
    assert.deepEqual(decided, {
      mails: 0,
      campaigns: 0,
      deliveries: 2_001,
      signUps: 6_001,
      imports: 5_000,
    })
    assert.equal(steps.at(-1), pieces - 10_000)
    assert.equal(await left(workspaceId), 0)
  })
