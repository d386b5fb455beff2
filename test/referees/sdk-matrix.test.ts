/**
 * Every row of the table of calls with Resend's SDK for Node.js, unmodified: what is built is
 * compared with the database, what is refused with the code and sentence of its row.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { resendCalls } from '../../src/contract/reference/resend-calls.ts'
import { startApi } from '../support/api.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { whereSdksCall } from '../support/sdk-matrix/built-sdks.ts'
import { openNodeSdk } from '../support/sdk-matrix/node-sdk.ts'
import { playTable, plays } from '../support/sdk-matrix/play-table.ts'
import { sdkPageFile, sdkResults } from '../support/sdk-matrix/results.ts'
import { rowName, sdkPage } from '../support/sdk-matrix/sdk-page.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const shop = await api.workspace('shop')

test('each row that is built has a play, and each play a row that is built', () => {
  const built = resendCalls.filter(({ way }) => way === undefined)
  assert.deepEqual(Object.keys(plays).toSorted(), built.map(rowName).toSorted())
})

test('every call of the table, compared with the database or with its refusal', async (t) => {
  Object.assign(process.env, whereSdksCall(`${api.baseUrl}/api/v1`, shop.key))
  await playTable(t, 'node', { sdk: openNodeSdk(), world: { api, shop } })
})

test('docs/resend-sdks.md is what was found', () => {
  const page = readFileSync(sdkPageFile, 'utf8')
  assert.equal(page, sdkPage(sdkResults()), 'UPDATE_SDKS=1 writes it again')
})
