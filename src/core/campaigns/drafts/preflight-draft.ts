/**
 * POST /campaigns/{id}/preflight: checks a draft before it is sent, finished or not, and lists what
 * to mend.
 */
import { isByKey } from '../../context.ts'
import { refuseState } from '../find-campaign.ts'
import { preflightCampaign } from '../preflight-campaign.ts'
import { findDraft, presentDraft } from './typed-draft.ts'
import type { Verb } from '../../verb.ts'

/** How long all links together may take, in milliseconds. */
const linksWaitMs = 60_000

export const preflightDraft: Verb<'preflightDraft'> = async (ctx, { params: { id } }) => {
  const row = await findDraft(ctx, { workspaceId: ctx.workspaceId, id })
  // What a user typed is for users alone.
  if (row.unfinished && isByKey(ctx)) await refuseState(ctx, { workspaceId: ctx.workspaceId, id })
  const { version, problems } = await presentDraft(ctx, { workspaceId: ctx.workspaceId, row })
  const captures = ctx.providers.of(ctx.workspaceId).captures
  const { findings, audience } = await inTurn(ctx.workspaceId, () =>
    preflightCampaign(
      { ...ctx, signal: AbortSignal.timeout(linksWaitMs) },
      { workspaceId: ctx.workspaceId, id, captures },
    ),
  )
  return { body: { object: 'campaign_preflight', id, version, problems, findings, audience } }
}

/** The latest check of each workspace that has one running. */
const last = new Map<number, Promise<unknown>>()

/**
 * Runs one check per workspace at a time: a waiting check finds the links answered
 * (preflight/check-links.ts).
 */
async function inTurn<T>(workspaceId: number, check: () => Promise<T>): Promise<T> {
  const mine = (last.get(workspaceId) ?? Promise.resolve()).then(check)
  const ended = mine.catch(() => undefined)
  last.set(workspaceId, ended)
  try {
    return await mine
  } finally {
    if (last.get(workspaceId) === ended) last.delete(workspaceId)
  }
}
