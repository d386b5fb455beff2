/**
 * Defines the input of one example per operation. Every spelling of the example is generated from
 * it.
 */
import { exampleOf, plainSchema, type Json } from '../json-schema.ts'
import { operations, type OperationId } from '../operations.ts'
import type { Operation } from '../operation.ts'
import type { ExampleWorld } from './example-world.ts'

export interface ExampleCall {
  /** In the order of the path. */
  params: string[]
  query: Record<string, string | number>
  body: Json | undefined
  idempotencyKey: string | undefined
}

/** Values that the schemas' own examples do not provide. */
const callsOfWorld = (world: ExampleWorld): Partial<Record<OperationId, Partial<ExampleCall>>> => ({
  sendEmail: { idempotencyKey: 'order-1042' },
  sendEmailBatch: {
    idempotencyKey: 'reminders-2026-11',
    body: [
      {
        from: 'hello@demo.test',
        to: 'camille@example.com',
        subject: 'Bonjour',
        text: 'Bonjour Camille',
      },
      { from: 'hello@demo.test', to: 'ines@example.com', subject: 'Bonjour', text: 'Bonjour Inès' },
    ],
  },
  addSubscriberBatch: {
    idempotencyKey: 'move-2026-11-page-1',
    body: [
      { email: 'camille@example.com', firstName: 'Camille', tags: ['newsletter'] },
      { email: 'ines@example.com', double_opt_in: false },
    ],
  },
  createSubscriberImport: { idempotencyKey: 'fair-2026-11' },
  listEmails: { query: { limit: 10 } },
  updateEmail: { body: { scheduled_at: world.later } },
  listCapturedMails: { query: { to: 'camille@example.com' } },
  deleteCapturedMails: { query: { to: 'camille@example.com' } },
  listSubscribers: { query: { status: 'subscribed', limit: 10 } },
  listSuppression: { query: { email: 'camille@example.com' } },
  listRequests: { query: { status: 'refused', limit: 10 } },
  listCampaigns: { query: { status: 'draft' } },
  deleteCampaign: { params: [world.ids['drafts'] ?? ''] },
  cancelCampaign: { params: [world.ids['sending'] ?? ''] },
  sendDraftTest: { body: { to: 'ines@example.com' } },
  scheduleCampaign: { body: { scheduledAt: world.later } },
  updateWebhook: { body: { events: ['email.bounced', 'email.complained'] } },
})

export function exampleCall(id: OperationId, world: ExampleWorld): ExampleCall {
  const { path, body }: Operation = operations[id]
  return {
    params: [...path.matchAll(/(\w+)\/\{\w+\}/g)].map(([, noun = '']) => world.ids[noun] ?? noun),
    query: {},
    body: body && exampleOf(plainSchema(body)),
    idempotencyKey: undefined,
    ...callsOfWorld(world)[id],
  }
}

/** The address that is called. */
export function exampleAddress(
  id: OperationId,
  { params, query }: ExampleCall,
  { baseUrl }: ExampleWorld,
): string {
  const values = [...params]
  const filled = operations[id].path.replace(/\{\w+\}/g, () =>
    encodeURIComponent(values.shift() ?? ''),
  )
  const requested = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) requested.set(name, String(value))
  return baseUrl + filled + (requested.size > 0 ? `?${requested.toString()}` : '')
}
