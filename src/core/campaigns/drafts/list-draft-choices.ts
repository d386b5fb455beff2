/** Lists the editor's choices: the fields for merge tags, and the default tracking. */
import { fieldKeysOf } from '../../../db/audience/subscriber-fields.ts'
import { workspaceSettings } from '../../../db/workspaces/workspace-settings.ts'
import type { Verb } from '../../verb.ts'

export const listDraftChoices: Verb<'listDraftChoices'> = async ({ db, workspaceId }) => {
  const { trackOpens, trackClicks } = await workspaceSettings(db, workspaceId)
  return { body: { fields: await fieldKeysOf(db, workspaceId), trackOpens, trackClicks } }
}
