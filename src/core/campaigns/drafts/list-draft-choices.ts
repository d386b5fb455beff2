/** Lists the editor's choices: the fields for merge tags, and the default tracking. */
import type { AnswerOf } from '../../../contract/operations.ts'
import { fieldKeysOf } from '../../../db/subscribers/subscriber-imports.ts'
import { workspaceSettings } from '../../../db/workspaces/workspace-settings.ts'
import type { CallContext } from '../../context.ts'

export async function listDraftChoices({ db, workspaceId }: CallContext): Promise<AnswerOf<'listDraftChoices'>> {
  const { trackOpens, trackClicks } = await workspaceSettings(db, workspaceId)
  return { body: { fields: await fieldKeysOf(db, workspaceId), trackOpens, trackClicks } }
}
