/** Sets or removes a workspace's own provider; every process applies it within seconds. */
import {
  deleteFormerProviders,
  hasExpiredProviders,
  acceptFormer,
  lockProviders,
  setWorkspaceProvider,
  workspaceProvider,
  type WorkspaceProviderRow,
} from '../../db/workspaces/workspace-providers.ts'
import type { ProviderChoice } from '../../providers/provider-kind.ts'
import { providerKinds } from '../../providers/registry.ts'
import {
  openStored,
  purposeOf,
  readStored,
  toStoredJson,
  type StoredProvider,
} from '../../providers/stored-provider.ts'
import type { Secrets } from '../../ground/secrets.ts'
import type { Context } from '../context.ts'

/** How long notices of a replaced account are still accepted: bounces come within days. */
const acceptedDays = 14

/** The secret is encrypted for this workspace alone. `readChoice` has validated the input. */
export async function setProvider(
  ctx: Pick<Context, 'db'>,
  {
    secrets,
    workspaceId,
    stored,
    secret,
  }: {
    secrets: Pick<Secrets, 'seal'>
    workspaceId: number
    stored: StoredProvider
    secret: string | null
  },
): Promise<void> {
  const sealed = secret === null ? null : secrets.seal(secret, purposeOf(workspaceId))
  await ctx.db.transaction(async (tx) => {
    await lockProviders(tx)
    const before = await workspaceProvider(tx, workspaceId)
    if (hasOtherFeedback(before, stored)) await acceptFormer(tx, workspaceId, acceptedDays)
    await setWorkspaceProvider(tx, { workspaceId, choice: toStoredJson(stored), secret: sealed })
  })
}

/**
 * `erase`: its notices are no longer accepted, and its data is deleted. Returns false when it had
 * none.
 */
export async function unsetProvider(
  ctx: Pick<Context, 'db'>,
  { workspaceId, erase }: { workspaceId: number; erase: boolean },
): Promise<boolean> {
  return ctx.db.transaction(async (tx) => {
    await lockProviders(tx)
    const before = await workspaceProvider(tx, workspaceId)
    if (!before) return false
    if (!erase && hasOtherFeedback(before, null)) await acceptFormer(tx, workspaceId, acceptedDays)
    const erased = erase ? await deleteFormerProviders(tx, workspaceId, 'all') : 0
    if (before.choice !== null)
      await setWorkspaceProvider(tx, { workspaceId, choice: null, secret: null })
    return before.choice !== null || erased > 0
  })
}

/** Deletes replaced accounts of a workspace after their time. */
export async function deleteFormerProvidersOf(
  ctx: Pick<Context, 'db'>,
  workspaceId: number,
): Promise<void> {
  if (!(await hasExpiredProviders(ctx.db, workspaceId))) return
  await ctx.db.transaction(async (tx) => {
    await lockProviders(tx)
    await deleteFormerProviders(tx, workspaceId, 'over')
  })
}

/** Whether notices of the previous account arrive where the next one does not receive them. */
function hasOtherFeedback(
  before: WorkspaceProviderRow | null,
  next: StoredProvider | null,
): boolean {
  if (!before || before.choice === null) return false
  const was = readStored(before.choice)
  const position = placeOfNotices(was)
  return position !== null && (next?.type !== was.type || placeOfNotices(next) !== position)
}

const placeOfNotices = ({ type, settings }: StoredProvider): string | null =>
  providerKinds[type].feedback?.placeOf(settings) ?? null

export interface OwnProvider {
  stored: StoredProvider
  /** Whether a secret is stored; its value only goes to the hand-off. */
  hasSecret: boolean
  changedAt: Date
  /** Decrypts the choice for connection checks; a text says why it cannot be decrypted. */
  open(secrets: Pick<Secrets, 'open'>): ProviderChoice | string
}

/**
 * Lists a workspace's replaced accounts and until when their notices are accepted, newest first.
 */
export async function formerProviders(
  ctx: Pick<Context, 'db'>,
  workspaceId: number,
): Promise<{ stored: StoredProvider; acceptedUntil: Date }[]> {
  const row = await workspaceProvider(ctx.db, workspaceId)
  return (row?.former ?? []).map(({ choice, acceptedUntil }) => ({
    stored: readStored(choice),
    acceptedUntil,
  }))
}

/** Returns null when the workspace uses the installation's provider. */
export async function findProvider(
  ctx: Pick<Context, 'db'>,
  workspaceId: number,
): Promise<OwnProvider | null> {
  const row = await workspaceProvider(ctx.db, workspaceId)
  if (!row || row.choice === null) return null
  return {
    stored: readStored(row.choice),
    hasSecret: row.secret !== null,
    changedAt: row.changedAt,
    open(secrets) {
      try {
        return openStored(secrets, row)?.choice ?? 'it was taken back'
      } catch (error) {
        return error instanceof Error ? error.message : String(error)
      }
    },
  }
}
