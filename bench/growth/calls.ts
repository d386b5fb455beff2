/**
 * Every list, search and single read of the interface, from the contract: each with its first page,
 * a next one, and its filters.
 */
import { operations } from '../../src/contract/operations.ts'
import type { Filled } from './fill.ts'

export interface Call {
  name: string
  /** Below `/api/v1`. */
  path: string
  /**
   * What stands before `/api/v1`; a program with a key asks where it is empty, else a user by the
   * pages.
   */
  prefix: string
  /** Whether the list has a next page to ask for. */
  isList: boolean
}

/** What filters by text look for: what all have, what three have, what none has. */
const texts: Record<string, string[]> = {
  recipient: ['seldom@example.com', 'hugo.dubois12@example.com', 'nobody@nowhere.example'],
  subject: ['order', 'xylophone', 'nothing'],
  tag: ['kind:receipt', 'trial', 'none'],
  email: ['gone250@example.com', 'nobody@nowhere.example'],
  q: ['reader', 'nobody@nowhere'],
  who: ['owner', 'nobody'],
  operation: ['sendEmail', 'listEmails'],
  request_id: ['req_2', 'none'],
  act: ['subscriber.edited', 'key.created', 'webhook.deleted'],
  code: ['validation_error', 'not_found'],
}
const times = new Set(['since', 'until', 'from', 'to'])

/** Operations that make a file, ask the world outside, or need what the fill does not make. */
const leftOut =
  /^(?:download|export|preview|checkWebhookUrl)|Raw$|File$|Html$|Import$|^getDraft$|^getForm$|^getSetUp|^getInvitation|^getReset|^getDomain|^getWebhook$|^countWebhookReplay$|^getEvent$|^getWebhookDelivery$|^getCapturedMail$|^getCampaignHeatMap$/

export function readCalls({ messageId, campaignId, webhookId, keyId }: Filled): Call[] {
  const named: Record<string, string[]> = {
    message: [messageId],
    key: [keyId],
    before: [messageId],
    after: [messageId],
  }
  const idsOf = (path: string): string | null => {
    const id = path.includes('/campaigns/')
      ? campaignId
      : path.includes('/webhooks/')
        ? webhookId
        : messageId
    const filled = path
      .replace('{id}', id)
      .replace('{email}', 'reader7@example.com')
      .replace('{who}', 'reader7@example.com')
    return filled.includes('{') ? null : filled
  }
  return Object.entries(operations).flatMap(([id, operation]) => {
    if (
      operation.method !== 'GET' ||
      leftOut.test(id) ||
      ('scope' in operation && String(operation.scope) === 'none')
    )
      return []
    const path = idsOf(operation.path.replace('/api/v1', ''))
    if (path === null || path === '') return []
    const filters = Object.entries(propertiesOf(operation)).flatMap(([name, { enum: values }]) =>
      (
        texts[name] ??
        (id === 'listEvents' ? null : named[name]) ??
        values ??
        (times.has(name) ? [new Date(Date.now() - 14 * 86_400_000).toISOString()] : [])
      ).map((value) => ({
        name,
        value,
      })),
    )
    const isList = 'cursor' in propertiesOf(operation)
    const prefix =
      operation.entry === 'api' ? '' : operation.entry === 'user' ? '/people' : '/workspaces/demo'
    return [
      { name: id, path, prefix, isList },
      ...filters.map(({ name, value }) => ({
        ...{
          name: `${id} ${name}=${times.has(name) ? 'two weeks ago' : named[name] ? 'one' : value}`,
          prefix,
          isList: false,
        },
        path: `${path}?${new URLSearchParams({ ...(name === 'value' && { field: 'town' }), [name]: value }).toString()}`,
      })),
    ]
  })
}

interface Property {
  enum?: string[]
}

const propertiesOf = (operation: object): Record<string, Property> =>
  ('query' in operation &&
    (operation.query as { properties?: Record<string, Property> }).properties) ||
  {}
