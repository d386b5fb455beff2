/** Every row of the table of calls with Resend's SDK for Python, unmodified. */
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { sdkFolder, skipsSdk, whereSdksCall } from '../support/sdk-matrix/built-sdks.ts'
import { playTable } from '../support/sdk-matrix/play-table.ts'
import { openPythonSdk } from '../support/sdk-matrix/python-sdk.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const shop = await api.workspace('shop')

test(
  'every call of the table, compared with the database or with its refusal',
  { skip: skipsSdk('python') },
  async (t) => {
    const env = whereSdksCall(`${api.baseUrl}/api/v1`, shop.key)
    const sdk = await openPythonSdk(sdkFolder('python'), env)
    await playTable(t, 'python', { sdk, world: { api, shop } })
  },
)
