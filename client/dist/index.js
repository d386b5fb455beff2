/**
 * The exports of `facteur/client`: a client with one typed method for each operation, and a check
 * of webhook signatures.
 */
export { createClient } from './create-client.js';
export { each } from './each.js';
export { FacteurError } from './facteur-error.js';
export { verifyWebhook, WebhookSignatureError } from './verify-webhook.js';
