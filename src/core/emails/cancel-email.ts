/**
 * POST /emails/{id}/cancel: cancels a scheduled message that no worker has claimed; its quota is
 * given back.
 */
import { cancelMessage } from '../../db/messages/messages.ts'
import { changeScheduled } from './change-scheduled.ts'
import type { Verb } from '../verb.ts'

export const cancelEmail: Verb<'cancelEmail'> = async (ctx, { params }) => {
  return {
    body: await changeScheduled(ctx, {
      id: params.id,
      change: (tx) => cancelMessage(tx, ctx.workspaceId, params.id),
    }),
  }
}
