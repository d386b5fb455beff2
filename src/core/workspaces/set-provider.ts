/** Gives a workspace a provider of its own, or takes it back; every process goes by it within seconds. */
import {
  deleteFormerProviders,
  hearFormer,
  lockProviders,
  setWorkspaceProvider,
  workspaceProvider,
  workspacesWithExpiredProviders,
} from '../../db/workspaces/workspace-providers.ts'
import type { WorkspaceProviderRow } from '../../db/workspaces/workspace-providers.ts'
import type { ProviderChoice } from '../../providers/open-provider.ts'
import { openChoice, purposeOf, readStored } from '../../providers/workspace-choice.ts'
import type { StoredChoice } from '../../providers/workspace-choice.ts'
import type { Secrets } from '../../secrets.ts'
import type { Context } from '../context.ts'

/** How long notices of mail that left by an account of Amazon SES are heard after it was replaced: bounces come within days. */
const heardDays = 14

/** The secret is sealed for this workspace alone. What is stored was read before: see `readChoice`. */
export async function setProvider(
  ctx: Pick<Context, 'db'>,
  secrets: Pick<Secrets, 'seal'>,
  { workspaceId, stored, secret }: { workspaceId: number; stored: StoredChoice; secret: string | null },
): Promise<void> {
  const sealed = secret === null ? null : secrets.seal(secret, purposeOf(workspaceId))
  await ctx.db.transaction(async (tx) => {
    await lockProviders(tx)
    const before = await workspaceProvider(tx, workspaceId)
    if (hasOtherNews(before, stored)) await hearFormer(tx, workspaceId, heardDays)
    await setWorkspaceProvider(tx, { workspaceId, choice: stored, secret: sealed })
  })
}

/** `erase`: what it told is not heard any more, and nothing of it is kept. False: it had none. */
export async function unsetProvider(
  ctx: Pick<Context, 'db'>,
  { workspaceId, erase }: { workspaceId: number; erase: boolean },
): Promise<boolean> {
  return ctx.db.transaction(async (tx) => {
    await lockProviders(tx)
    const before = await workspaceProvider(tx, workspaceId)
    if (!before) return false
    if (!erase && hasOtherNews(before, null)) await hearFormer(tx, workspaceId, heardDays)
    const erased = erase ? await deleteFormerProviders(tx, workspaceId, 'all') : 0
    if (before.choice !== null) await setWorkspaceProvider(tx, { workspaceId, choice: null, secret: null })
    return before.choice !== null || erased > 0
  })
}

/** Forgets those whose notices were heard long enough. */
export async function deleteFormerProvidersOf(ctx: Pick<Context, 'db'>): Promise<void> {
  for (const workspaceId of await workspacesWithExpiredProviders(ctx.db)) {
    await ctx.db.transaction(async (tx) => {
      await lockProviders(tx)
      await deleteFormerProviders(tx, workspaceId, 'over')
    })
  }
}

/** Whether notices come to where the next one would not hear them. */
function hasOtherNews(before: WorkspaceProviderRow | null, next: StoredChoice | null): boolean {
  if (!before || before.choice === null) return false
  const was = readStored(before.choice)
  if (was.type !== 'amazon-ses' || (was.topicArns === null && was.queueUrl === null)) return false
  return next?.type !== 'amazon-ses' || next.topicArns !== was.topicArns || next.queueUrl !== was.queueUrl
}

export interface OwnProvider {
  stored: StoredChoice
  /** Whether there is a secret; what it is never leaves the verb that hands mail over. */
  hasSecret: boolean
  changedAt: Date
  /** Opened, for those who look whether it answers; a text says why it cannot be opened. */
  open(secrets: Pick<Secrets, 'open'>): ProviderChoice | string
}

/** Until when notices of an account that a workspace had are heard; the newest first. */
export async function formerProviders(
  ctx: Pick<Context, 'db'>,
  workspaceId: number,
): Promise<{ stored: StoredChoice; heardUntil: Date }[]> {
  const row = await workspaceProvider(ctx.db, workspaceId)
  return (row?.former ?? []).map(({ choice, heardUntil }) => ({ stored: readStored(choice), heardUntil }))
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
