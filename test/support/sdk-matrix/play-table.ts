/** Makes every call of the table of calls with an SDK, and compares what it shows. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { errorKinds } from '../../../src/contract/errors.ts'
import { hintText, type Hint } from '../../../src/contract/hints.ts'
import { resendCalls, type ResendCall } from '../../../src/contract/reference/resend-calls.ts'
import { broadcastPlays } from './broadcast-plays.ts'
import { contactPlays } from './contact-plays.ts'
import { domainPlays } from './domain-plays.ts'
import { emailPlays } from './email-plays.ts'
import type { Plays, World } from './play.ts'
import { keepSdkResult, type CallResult } from './results.ts'
import type { Sdk } from './sdk.ts'
import { rowName } from './sdk-page.ts'
import { logPlays, suppressionPlays } from './suppression-plays.ts'
import { webhookPlays } from './webhook-plays.ts'

export const plays: Plays = {
  ...emailPlays,
  ...broadcastPlays,
  ...contactPlays,
  ...webhookPlays,
  ...domainPlays,
  ...suppressionPlays,
  ...logPlays,
}

/** A test for each row; all of them together are the result of this SDK. */
export async function playTable(
  t: TestContext,
  language: string,
  { sdk, world }: { sdk: Sdk; world: World },
): Promise<void> {
  const rows: Record<string, CallResult> = {}
  for (const row of resendCalls)
    await t.test(rowName(row), async () => {
      rows[rowName(row)] = await play(sdk, world, row)
    })
  sdk.close()
  assert.deepEqual(sdk.callsBeside(resendCalls.map(({ call }) => call)), [])
  assert.equal(Object.keys(rows).length, resendCalls.length, 'a row has failed')
  keepSdkResult('calls', language, { version: sdk.version, rows })
}

function play(sdk: Sdk, world: World, row: ResendCall): Promise<CallResult> {
  if (sdk.nameOf(row.call) === null) return Promise.resolve('absent')
  return row.way ? isRefusedAs(sdk, row, row.way) : isCompared(sdk, world, row)
}

/** The SDKs ask for no language: then it is French. */
async function isRefusedAs(sdk: Sdk, { call, request }: ResendCall, way: Hint): Promise<'refused'> {
  const { data, error } = await sdk.make(call, null)
  assert.ok(error, `${call} was answered: ${JSON.stringify(data)}`)
  assert.deepEqual([error.status, error.name], [404, 'not_found'], `${call}: ${error.message}`)
  assert.ok(error.message.includes(request.replace(' ', ' /api/v1')), `${call}: ${error.message}`)
  assert.ok(error.message.endsWith(hintText(way, 'fr')), `${call}: ${error.message}`)
  return 'refused'
}

async function isCompared(sdk: Sdk, world: World, row: ResendCall): Promise<CallResult> {
  const turn = await plays[rowName(row)]?.(world)
  assert.ok(turn, `No play of ${rowName(row)}`)
  const { data, error } = await sdk.make(row.call, turn)
  const { refused } = turn
  const expected = refused && [errorKinds[refused].status, refused]
  assert.deepEqual(error && [error.status, error.name], expected, JSON.stringify(error ?? data))
  await turn.compare(data)
  return refused ? 'refused' : 'compared'
}
