/** Makes the secrets that sign webhook calls, encrypts them for the database, and decrypts them. */
import { randomBytes } from 'node:crypto'
import type { Secrets } from '../../ground/secrets.ts'

const prefix = 'whsec_'

/** `whsec_` and 32 random bytes in base64, as Standard Webhooks writes secrets. */
export const makeSecret = (): string => prefix + randomBytes(32).toString('base64')

const purposeOf = (workspaceId: number, webhookId: string): string =>
  `webhook ${workspaceId} ${webhookId}`

export const sealSecret = (
  secrets: Secrets,
  workspaceId: number,
  webhookId: string,
  secret: string,
): Buffer => secrets.seal(secret, purposeOf(workspaceId, webhookId))

/**
 * The secrets that sign a call now: the present one first, then the previous one while both are
 * valid.
 */
export function openWebhookSecrets(
  secrets: Secrets,
  workspaceId: number,
  { id, secret, previousSecret }: { id: string; secret: Buffer; previousSecret: Buffer | null },
): string[] {
  return [secret, previousSecret]
    .filter((sealed) => sealed !== null)
    .map((sealed) => secrets.open(sealed, purposeOf(workspaceId, id)))
}
