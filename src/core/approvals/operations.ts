/** Names the operations that a workspace may demand an approval for, and who may approve one. */
import type { Role } from '../../contract/roles.ts'

export const sendOperation = 'campaign.send'

/** Who may send a campaign may approve one. */
export const approverRole: Role = 'editor'
