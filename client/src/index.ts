/**
 * The exports of `facteur/client`: a client with one typed method for each operation, and a check
 * of webhook signatures.
 */
export { createClient } from './create-client.ts'
export type { ClientOptions } from './create-client.ts'
export type { Answer, CallOptions, SendOptions } from './call.ts'
export { each } from './each.ts'
export { FacteurError } from './facteur-error.ts'
export { verifyWebhook, WebhookSignatureError } from './verify-webhook.ts'
export type { ReceivedHeaders, ReceivedWebhook } from './verify-webhook.ts'
export type { Client } from './operations.ts'
export type * from './schemas.ts'
