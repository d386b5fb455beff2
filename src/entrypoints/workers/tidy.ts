/** Forgets keys, counters and sign-ups that are past their time, workspace by workspace; what one of them cannot do now waits for the next round. */
import type { Service } from '../../core/context.ts'
import { forgetOldFiles } from '../../core/imports/forget-old-files.ts'
import { followStanding } from '../../core/workspaces/follow-standing.ts'
import { dropHidden } from '../../core/webhooks/delete-webhook.ts'
import { keptDays } from '../../core/webhooks/delivery-rules.ts'
import { forgetFormerProviders } from '../../core/workspaces/set-provider.ts'
import { walkWorkspaces } from '../../core/workspaces/walk-workspaces.ts'
import { forgetWalks } from '../../db/campaign-walks.ts'
import { forgetDestinations } from '../../db/destinations.ts'
import { forgetRawNotices } from '../../db/feedback.ts'
import { forgetSignIns } from '../../db/forget-people.ts'
import { forgetIdempotencyKeys } from '../../db/idempotency-keys.ts'
import { forgetCounters } from '../../db/request-rates.ts'
import { forgetNotices } from '../../db/ses-notices.ts'
import { forgetBrakes } from '../../db/sign-up-brakes.ts'
import { forgetStsPolicies } from '../../db/sts-policies.ts'
import { forgetImports } from '../../db/subscriber-imports.ts'
import { forgetSignUps } from '../../db/sign-ups.ts'
import { forgetSuppressionImports } from '../../db/suppression-imports.ts'
import { forgetEvents } from '../../db/webhook-journal.ts'
import { hiddenWebhooks } from '../../db/webhooks.ts'

/** Rows that one statement deletes at most: longer ones would hold their locks, and end at the statement's time limit. */
const atOnce = 5_000
/** How long a notice is kept as it came; the news that was read in it stays. */
const noticeDays = 30

type Parts = Pick<Service, 'db' | 'log' | 'makeId' | 'settings' | 'wake'>

/** One round through all workspaces; `stopping` ends it between two statements. */
export async function tidy(service: Parts, stopping: AbortSignal): Promise<void> {
  // Callers without a key are counted in workspace 0.
  await tidyOne(service, 0, stopping)
  while (!stopping.aborted && (await forgetNotices(service.db, atOnce)) === atOnce);
  while (!stopping.aborted && (await forgetDestinations(service.db, atOnce)) === atOnce);
  while (!stopping.aborted && (await forgetStsPolicies(service.db, atOnce)) === atOnce);
  while (!stopping.aborted && (await forgetSignIns(service.db, atOnce)) === atOnce);
  if (!stopping.aborted) await forgetFormerProviders(service)
  for await (const page of walkWorkspaces(service)) {
    for (const { id } of page) {
      await tidyOne(service, id, stopping)
      // A window clears by itself, and nobody calls then.
      if (!stopping.aborted) await followStanding(service, id).catch((error: unknown) => tellFailed(service, id, error))
    }
  }
}

async function tidyOne({ db, log }: Parts, workspaceId: number, stopping: AbortSignal): Promise<void> {
  try {
    while (!stopping.aborted && (await forgetCounters(db, workspaceId, atOnce)) === atOnce);
    while (!stopping.aborted && (await forgetIdempotencyKeys(db, workspaceId, atOnce)) === atOnce);
    while (!stopping.aborted && (await forgetBrakes(db, workspaceId, atOnce)) === atOnce);
    while (!stopping.aborted && (await forgetSignUps(db, workspaceId, atOnce)) === atOnce);
    while (!stopping.aborted && (await forgetImports(db, workspaceId, atOnce)) > 0);
    if (!stopping.aborted) await forgetWalks(db, workspaceId)
    if (!stopping.aborted) await forgetOldFiles({ db }, workspaceId)
    while (!stopping.aborted && (await forgetSuppressionImports(db, workspaceId, noticeDays, atOnce)) > 0);
    while (!stopping.aborted && (await forgetRawNotices(db, workspaceId, noticeDays, atOnce)) === atOnce);
    while (!stopping.aborted && (await forgetEvents(db, workspaceId, keptDays, atOnce)) >= atOnce);
    for (const id of await hiddenWebhooks(db, workspaceId)) await dropHidden({ db }, workspaceId, id)
  } catch (error) {
    tellFailed({ log }, workspaceId, error)
  }
}

function tellFailed({ log }: Pick<Service, 'log'>, workspaceId: number, error: unknown): void {
  log.error({ err: error, workspaceId }, 'Tidying a workspace failed; it is tried again at the next round')
}
