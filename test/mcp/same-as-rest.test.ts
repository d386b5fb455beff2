/**
 * Each tool is its REST call: the same body for the same world, and the same refusal, for the key's
 * own workspace and for another's.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operationIds, operations, type OperationId } from '../../src/contract/operations.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { allScopes } from '../../src/contract/scopes.ts'
import { operationsByTool, toolName } from '../../src/contract/tools.ts'
import { ask, textAt, type Answer } from '../support/ask.ts'
import { at } from '../support/json.ts'
import type { TestWorkspace } from '../support/api.ts'
import { clientOf, startMcpApi, type McpClient, type ToolResult } from '../support/mcp.ts'
import { until } from '../support/until.ts'

const api = await startMcpApi()

type Args = Record<string, unknown>

/** The REST call that the arguments mean, put together here independently. */
function rest(id: OperationId, key: string, args: Args): Promise<Answer> {
  const { method, path, query, headers, body }: Operation = operations[id]
  const left = { ...args }
  const take = (name: string): string => {
    const value = left[name]
    delete left[name]
    return typeof value === 'string' ? value : JSON.stringify(value)
  }
  const named = Object.keys(headers.properties).map(
    (name) => [name, name.replaceAll('-', '_')] as const,
  )
  const input = named
    .filter(([, name]) => name in left)
    .map(([name, argument]) => [name, take(argument)])
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(take(name)))
  const requested = new URLSearchParams(
    Object.keys(query.properties)
      .filter((name) => name in left)
      .map((name): [string, string] => [name, take(name)]),
  )
  const line = `${method} ${filled}${requested.size > 0 ? `?${requested.toString()}` : ''}`
  return ask(api.baseUrl, line, {
    key,
    headers: Object.fromEntries(input),
    ...(body && { body: left }),
  })
}

const call = (
  id: OperationId,
  key: string,
  args: Args,
  era: McpClient['era'] = 'handshake',
): Promise<ToolResult> => clientOf(api.baseUrl, key, era).call(toolName(id), args)

/**
 * Two workspaces in the same state, one for each entry point; their own names and values are
 * blanked.
 */
interface Twins {
  rest: TestWorkspace
  tool: TestWorkspace
}
let twins = 0
async function makeTwins(options: Parameters<typeof api.workspace>[1] = {}): Promise<Twins> {
  const number = ++twins
  return {
    rest: await api.workspace(`rest${number}`, options),
    tool: await api.workspace(`tool${number}`, options),
  }
}
const both = async <T>(
  { rest: testWorkspace, tool: other }: Twins,
  work: (workspace: TestWorkspace) => Promise<T>,
): Promise<T[]> => [await work(testWorkspace), await work(other)]

const blank = (body: unknown): unknown =>
  JSON.parse(
    JSON.stringify(body)
      .replaceAll(/(?:rest|tool)\d+/g, 'WORKSPACE')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(/fct_live_\w+/g, 'KEY')
      .replaceAll(/"workspace":\{"id":"\d+"/g, '"workspace":{"id":"N"')
      .replaceAll(/"next_cursor":"[^"]+"/g, '"next_cursor":"CURSOR"')
      .replaceAll(/"(?:remaining|retry_after|resets_at)":\d+/g, '"N":0'),
  )

/** The tool answers what the REST call answers, in each other's workspace, in either era. */
async function assertAlike(
  pair: Twins,
  id: OperationId,
  args: (workspace: TestWorkspace) => Args,
): Promise<Answer> {
  const answered = await rest(id, pair.rest.key, args(pair.rest))
  const result = await call(
    id,
    pair.tool.key,
    args(pair.tool),
    twins % 2 === 0 ? 'handshake' : 'stateless',
  )
  assert.deepEqual(
    blank(result.body),
    blank(answered.body),
    `${toolName(id)} ${JSON.stringify(args(pair.tool))}`,
  )
  assert.equal(result.isError, answered.status >= 400)
  assert.equal(result.headers.get('idempotent-replay'), answered.headers.get('idempotent-replay'))
  return answered
}

const mail = ({ domain }: TestWorkspace): Args => ({
  from: `hello@${domain}`,
  to: 'a@example.com',
  subject: 's',
  text: 't',
})
const contact = {
  email: 'Camille@Example.com',
  prenom: 'Camille',
  lastName: 'Dupont',
  tags: ['a'],
  fields: { city: 'Lyon' },
}
const campaign = { name: 'n', subject: 's', text: 'Hello {{firstName | default: "you"}}' }

test('the tools are the twelve of the specification', () => {
  assert.deepEqual([...operationsByTool.keys()].toSorted(), [
    'add_subscriber',
    'add_suppression',
    'create_campaign',
    'get_account',
    'get_campaign_stats',
    'get_email',
    'list_campaigns',
    'list_subscribers',
    'list_suppression',
    'remove_subscriber',
    'send_campaign',
    'send_email',
  ])
  assert.deepEqual(
    operationIds.filter((id) => operationsByTool.get(toolName(id)) === id).length,
    operationsByTool.size,
  )
})

test('the same calls through each entry point: every answer is the same', async () => {
  const pair = await makeTwins({ monthlyQuota: 100 })
  await assertAlike(pair, 'getAccount', () => ({}))
  await assertAlike(pair, 'sendEmail', (workspace) => ({
    ...mail(workspace),
    tags: { 'a b': 'c d' },
    reply_to: 'r@example.com',
  }))
  await assertAlike(pair, 'sendEmail', (workspace) => ({
    ...mail(workspace),
    to: ['a@example.com', 'B <b@example.com>'],
    attachments: [{ filename: 'a.txt', content: 'aGVsbG8=' }],
    unknown: 'ignored',
    __proto__: { polluted: true },
  }))
  await assertAlike(pair, 'addSubscriber', () => ({ ...contact, double_opt_in: false }))
  await assertAlike(pair, 'addSubscriber', () => ({ email: contact.email, firstName: '' }))
  await assertAlike(pair, 'addSubscriber', () => ({ email: 'pending@example.com' }))
  for (const args of [{}, { limit: 1 }, { status: 'pending' }, { q: 'camil' }, { q: 'nobody' }]) {
    await assertAlike(pair, 'listSubscribers', () => args)
  }
  await assertAlike(pair, 'createCampaign', () => campaign)
  await assertAlike(pair, 'listCampaigns', () => ({ status: 'draft' }))
  await assertAlike(pair, 'removeSubscriber', () => ({ email: 'pending@example.com' }))
  await assertAlike(pair, 'removeSubscriber', () => ({ email: 'pending@example.com' }))
  await assertAlike(pair, 'addSuppression', () => ({ email: 'gone@example.com', reason: 'bounce' }))
  await assertAlike(pair, 'addSuppression', () => ({ email: 'gone@example.com' }))
  for (const args of [{}, { email: 'gone@example.com' }, { limit: 1 }])
    await assertAlike(pair, 'listSuppression', () => args)
  await assertAlike(pair, 'getAccount', () => ({}))
})

test('each entry point reads what the other wrote: messages, replays, campaigns and their statistics', async () => {
  const shop = await api.workspace('both-doors')
  const args = { ...mail(shop), idempotency_key: 'order-1' }
  const sent = await call('sendEmail', shop.key, args)
  const again = await rest('sendEmail', shop.key, args)
  assert.equal(again.headers.get('idempotent-replay'), 'true')
  assert.deepEqual(again.body, sent.body)
  const third = await call('sendEmail', shop.key, args, 'stateless')
  assert.deepEqual([third.body, third.headers.get('idempotent-replay')], [sent.body, 'true'])
  assert.equal(await shop.messages(), 1)
  const id = String(at(sent.body, 'id'))
  const delivered = await untilDelivered(shop.key, id)
  assert.deepEqual((await call('getEmail', shop.key, { id })).body, delivered)

  await rest('addSubscriber', shop.key, { ...contact, double_opt_in: false })
  const created = await call('createCampaign', shop.key, campaign)
  const campaignId = String(at(created.body, 'id'))
  const read = async (operation: OperationId) => {
    const which: Args = operation === 'getCampaignStats' ? { id: campaignId } : {}
    const answered = await rest(operation, shop.key, which)
    assert.deepEqual((await call(operation, shop.key, which)).body, answered.body)
  }
  await read('getCampaignStats')
  await read('listCampaigns')
  await read('listSubscribers')
  await read('listSuppression')
  await read('getAccount')
})

const untilDelivered = async (key: string, id: string): Promise<unknown> =>
  (
    await until(
      () => rest('getEmail', key, { id }),
      ({ body }) => at(body, 'status') === 'delivered',
    )
  ).body

const long = (length: number): string => 'x'.repeat(length)
const refusals: [OperationId, (workspace: TestWorkspace) => Args, code: string][] = [
  ['sendEmail', () => ({}), 'validation_error'],
  ['sendEmail', (w) => ({ ...mail(w), to: [] }), 'validation_error'],
  [
    'sendEmail',
    (w) => ({ ...mail(w), to: Array.from({ length: 51 }, (_, n) => `p${n}@example.com`) }),
    'validation_error',
  ],
  ['sendEmail', (w) => ({ ...mail(w), to: 'not an address' }), 'validation_error'],
  ['sendEmail', (w) => ({ ...mail(w), subject: long(999) }), 'validation_error'],
  ['sendEmail', (w) => ({ ...mail(w), text: undefined }), 'validation_error'],
  ['sendEmail', (w) => ({ ...mail(w), subject: 'a\r\nBcc: x@example.com' }), 'validation_error'],
  [
    'sendEmail',
    (w) => ({ ...mail(w), reply_to: 'a@example.com', replyTo: 'b@example.com' }),
    'validation_error',
  ],
  ['sendEmail', (w) => ({ ...mail(w), idempotency_key: long(201) }), 'validation_error'],
  ['sendEmail', (w) => ({ ...mail(w), from: 'a@elsewhere.test' }), 'unverified_from_domain'],
  ['sendEmail', (w) => ({ ...mail(w), to: 'closed@example.com' }), 'suppressed_recipient'],
  ['getEmail', () => ({ id: 'nonsense' }), 'not_found'],
  ['getEmail', () => ({ id: '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40' }), 'not_found'],
  ['listSubscribers', () => ({ limit: 0 }), 'validation_error'],
  ['listSubscribers', () => ({ limit: 101 }), 'validation_error'],
  ['listSubscribers', () => ({ status: 'alive' }), 'validation_error'],
  ['listSubscribers', () => ({ cursor: 'nonsense' }), 'validation_error'],
  ['addSubscriber', () => ({ email: 'closed@example.com' }), 'suppressed_recipient'],
  [
    'addSubscriber',
    () => ({ email: 'a@example.com', fields: { 'Not a key': 'x' } }),
    'validation_error',
  ],
  ['addSubscriber', () => ({ email: 'a@example.com', firstName: long(121) }), 'validation_error'],
  [
    'addSubscriber',
    () => ({ email: 'a@example.com', prenom: 'A', firstName: 'B' }),
    'validation_error',
  ],
  ['removeSubscriber', () => ({ email: 'nobody@example.com' }), 'not_found'],
  ['removeSubscriber', () => ({ email: 'nonsense' }), 'not_found'],
  ['addSuppression', () => ({ email: 'nonsense' }), 'validation_error'],
  ['addSuppression', () => ({ email: 'a@example.com', reason: 'whim' }), 'validation_error'],
  ['listSuppression', () => ({ email: 'nonsense' }), 'validation_error'],
  ['createCampaign', () => ({ name: 'n', subject: 's' }), 'validation_error'],
  ['createCampaign', () => ({ ...campaign, html: '<p>x</p>' }), 'validation_error'],
  [
    'createCampaign',
    () => ({ name: 'n', subject: 's', content: [{ type: 'marquee' }] }),
    'validation_error',
  ],
  ['createCampaign', () => ({ ...campaign, from: 'a@elsewhere.test' }), 'unverified_from_domain'],
  ['createCampaign', (w) => ({ ...campaign, from: `nobody@${w.domain}` }), 'not_found'],
  ['sendCampaign', () => ({ id: 'nonsense' }), 'not_found'],
  [
    'sendCampaign',
    () => ({ id: '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40', confirm_recipients: -1 }),
    'validation_error',
  ],
  ['getCampaignStats', () => ({ id: '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40' }), 'not_found'],
  ['listCampaigns', () => ({ status: 'lost' }), 'validation_error'],
]
const refusing = await makeTwins()
await both(refusing, (workspace) => workspace.suppress('closed@example.com', 'complaint'))
for (const [id, args, code] of refusals) {
  test(`${toolName(id)} refuses as the REST call does: ${code}, ${JSON.stringify(args(refusing.tool)).slice(0, 120)}`, async () => {
    const answered = await assertAlike(refusing, id, args)
    assert.equal(at(answered.body, 'error', 'code'), code)
  })
}

test('quota, reputation and a send that the provider refuses are the same by the tool as by the REST call', async () => {
  const poor = await makeTwins({ monthlyQuota: 1 })
  await assertAlike(poor, 'sendEmail', (w) => ({
    ...mail(w),
    to: ['a@example.com', 'b@example.com'],
  }))
  const suspended = await makeTwins()
  await both(suspended, (workspace) =>
    workspace.setReputation({ handOffs: 200, bounces: 50, complaints: 0 }),
  )
  assert.equal(
    at((await assertAlike(suspended, 'sendEmail', mail)).body, 'name'),
    'reputation_blocked',
  )
  const refused = await makeTwins()
  assert.equal(
    at(
      (
        await assertAlike(refused, 'sendEmail', (w) => ({
          ...mail(w),
          to: 'refused@simulator.test',
        }))
      ).body,
      'name',
    ),
    'send_failed',
  )
  const reused = await makeTwins()
  await assertAlike(reused, 'sendEmail', (w) => ({ ...mail(w), idempotency_key: 'k' }))
  const other = await assertAlike(reused, 'sendEmail', (w) => ({
    ...mail(w),
    subject: 'other',
    idempotency_key: 'k',
  }))
  assert.equal(at(other.body, 'name'), 'idempotency_key_reused')
})

test('a campaign: refused without recipients, sent once, refused the second time', async () => {
  const pair = await makeTwins()
  const ids = new Map<TestWorkspace, string>()
  for (const workspace of [pair.rest, pair.tool])
    ids.set(workspace, textAt(await rest('createCampaign', workspace.key, campaign), 'id'))
  const send = (more: Args = {}) =>
    assertAlike(pair, 'sendCampaign', (workspace) => ({ id: ids.get(workspace), ...more }))
  assert.equal(at((await send()).body, 'error', 'details', 'reason'), 'no_recipients')
  await both(pair, (w) => rest('addSubscriber', w.key, { ...contact, double_opt_in: false }))
  assert.equal(
    at((await send({ confirm_recipients: 2 })).body, 'error', 'details', 'reason'),
    'recipients_differ',
  )
  assert.equal(at((await send({ confirm_recipients: 1 })).body, 'queued'), 1)
  // The refusal shows how far the campaign is.
  for (const [workspace, id] of ids)
    await until(
      async () => textAt(await rest('getCampaign', workspace.key, { id }), 'status') === 'sent',
    )
  assert.equal(at((await send()).body, 'name'), 'conflict')
})

for (const [tool, id] of operationsByTool) {
  const { scope, path }: Operation = operations[id]
  if (scope !== null && scope !== 'none') {
    test(`${tool}: insufficient_scope without ${scope}, as REST refuses it, and such a call does not count`, async () => {
      const pair = await makeTwins({ ratePerMinute: 3 })
      const scopes = allScopes.filter((known) => known !== scope)
      const [key, other] = await both(pair, (workspace) => workspace.makeKey(scopes))
      const answered = await rest(id, key ?? '', { id: 'x', email: 'x' })
      for (let n = 0; n < 5; n++) {
        const result = await call(id, other ?? '', {})
        assert.deepEqual([blank(result.body), result.isError], [blank(answered.body), true])
        assert.equal(result.headers.get('x-ratelimit-remaining'), '3')
      }
    })
  }
  if (path.includes('{id}')) {
    test(`${tool}: an id of another workspace is answered as an unknown one`, async () => {
      const pair = await makeTwins()
      const created = path.includes('campaigns')
        ? await rest('createCampaign', pair.rest.key, campaign)
        : await rest('sendEmail', pair.rest.key, mail(pair.rest))
      const refusal = await call(id, pair.tool.key, { id: textAt(created, 'id') })
      assert.deepEqual(
        blank(refusal.body),
        blank((await rest(id, pair.tool.key, { id: textAt(created, 'id') })).body),
      )
      assert.equal(at(refusal.body, 'name'), 'not_found')
      const mine = await call(id, pair.rest.key, { id: textAt(created, 'id') })
      assert.notEqual(at(mine.body, 'name'), 'not_found')
    })
  }
}

test("lists of one workspace show nothing of another's; its addresses are unknown there", async () => {
  const pair = await makeTwins()
  const { key } = pair.rest
  await rest('addSubscriber', key, { ...contact, double_opt_in: false })
  await rest('addSuppression', key, { email: 'gone@example.com' })
  await rest('createCampaign', key, campaign)
  for (const id of ['listSubscribers', 'listSuppression', 'listCampaigns'] as const) {
    assert.deepEqual(at((await call(id, pair.tool.key, {})).body, 'data'), [])
    assert.equal((Object(at((await call(id, key, {})).body, 'data')) as unknown[]).length, 1)
  }
  assert.equal(
    at((await call('removeSubscriber', pair.tool.key, { email: contact.email })).body, 'name'),
    'not_found',
  )
  assert.deepEqual(
    at((await call('listSuppression', pair.tool.key, { email: 'gone@example.com' })).body, 'data'),
    [],
  )
})

/**
 * A call of every tool that writes without an identifier: what it writes names the domain of its
 * workspace.
 */
const marked: Record<string, (mark: string) => Args> = {
  send_email: (mark) => ({ from: `hello@${mark}`, to: 'a@example.com', subject: 's', text: 't' }),
  add_subscriber: (mark) => ({ email: `first@${mark}`, double_opt_in: false }),
  add_suppression: (mark) => ({ email: `second@${mark}` }),
  create_campaign: (mark) => ({ ...campaign, name: mark }),
}

test('every tool that writes without an identifier: its object is in no answer to another workspace', async () => {
  const { rest: first, tool: second } = await makeTwins()
  const unnamed = [...operationsByTool].filter(([, id]) => !operations[id].path.includes('{'))
  const written = unnamed.filter(([, id]) => operations[id].method !== 'GET').map(([tool]) => tool)
  assert.deepEqual(
    Object.keys(marked).toSorted(),
    written.toSorted(),
    'add to `marked` what the tool takes',
  )
  for (const [tool, args] of Object.entries(marked))
    assert.equal(
      (await clientOf(api.baseUrl, first.key).call(tool, args(first.domain))).isError,
      false,
      tool,
    )
  for (const [tool, id] of unnamed.filter(([, read]) => operations[read].method === 'GET')) {
    const [own, foreign] = [await call(id, first.key, {}), await call(id, second.key, {})]
    assert.ok(
      JSON.stringify(own.body).includes(first.domain),
      `${tool}: add to \`marked\` what it lists`,
    )
    assert.ok(!JSON.stringify(foreign.body).includes(first.domain), tool)
  }
})

test('texts of refusals come in the language that is asked for, as everywhere', async () => {
  const shop = await api.workspace('languages')
  for (const language of ['fr', 'en']) {
    const headers = { 'accept-language': language }
    const result = await clientOf(api.baseUrl, shop.key).call('get_email', { id: 'x' }, headers)
    assert.deepEqual(
      result.body,
      (await ask(api.baseUrl, 'GET /api/v1/emails/x', { key: shop.key, headers })).body,
    )
  }
})
