/** Gives a workspace a provider of its own, or takes it back; every process goes by it within seconds. */
import { setWorkspaceProvider, workspaceProvider } from '../../db/workspace-providers.ts'
import type { ProviderChoice } from '../../providers/open-provider.ts'
import { openChoice, purposeOf, readStored } from '../../providers/workspace-choice.ts'
import type { StoredChoice } from '../../providers/workspace-choice.ts'
import type { Secrets } from '../../secrets.ts'
import type { Context } from '../context.ts'

/** The secret is sealed for this workspace alone. What is stored was read before: see `readChoice`. */
export async function setProvider(
  ctx: Pick<Context, 'db'>,
  secrets: Pick<Secrets, 'seal'>,
  { workspaceId, stored, secret }: { workspaceId: number; stored: StoredChoice; secret: string | null },
): Promise<void> {
  const sealed = secret === null ? null : secrets.seal(secret, purposeOf(workspaceId))
  await setWorkspaceProvider(ctx.db, { workspaceId, choice: stored, secret: sealed })
}

/** False: it had none. */
export async function unsetProvider(ctx: Pick<Context, 'db'>, workspaceId: number): Promise<boolean> {
  const row = await workspaceProvider(ctx.db, workspaceId)
  if (!row || row.choice === null) return false
  await setWorkspaceProvider(ctx.db, { workspaceId, choice: null, secret: null })
  return true
}

export interface OwnProvider {
  stored: StoredChoice
  /** Whether there is a secret; what it is never leaves the verb that hands mail over. */
  hasSecret: boolean
  changedAt: Date
  /** Opened, for those who look whether it answers; a text says why it cannot be opened. */
  open(secrets: Pick<Secrets, 'open'>): ProviderChoice | string
}

/** Null: the workspace's mail leaves by the deployment's. */
export async function findProvider(ctx: Pick<Context, 'db'>, workspaceId: number): Promise<OwnProvider | null> {
  const row = await workspaceProvider(ctx.db, workspaceId)
  if (!row || row.choice === null) return null
  return {
    stored: readStored(row.choice),
    hasSecret: row.secret !== null,
    changedAt: row.changedAt,
    open(secrets) {
      try {
        return openChoice(secrets, row)?.choice ?? 'it was taken back'
      } catch (error) {
        return error instanceof Error ? error.message : String(error)
      }
    },
  }
}
