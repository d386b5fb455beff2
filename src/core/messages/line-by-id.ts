/** Finds the line of the log whose identifier is the text of a search. */
import { ApiError } from '../../contract/errors.ts'
import type { MessageLine, MessageQuery } from '../../contract/workspace/messages.ts'
import { isId } from '../../ground/ids.ts'
import type { CallContext } from '../context.ts'
import { findMessage } from './find-message.ts'
import { presentCampaignLine, presentSingleLine } from './present-line.ts'

/**
 * Undefined where the text is no identifier; otherwise the line, or none. The other filters are of
 * no account: who has an identifier looks for that message.
 */
export async function lineById(
  ctx: CallContext,
  { q = '' }: Pick<MessageQuery, 'q'>,
): Promise<MessageLine[] | undefined> {
  const id = q.trim()
  if (!id.split('.').every(isId)) return undefined
  try {
    const result = await findMessage(ctx, id)
    return [
      result.kind === 'single'
        ? presentSingleLine(ctx, result.row)
        : presentCampaignLine(result.row),
    ]
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') return []
    throw error
  }
}
