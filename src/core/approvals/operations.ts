/** Names the operations that a workspace may demand an approval for, and who may approve one. */
import type { Role } from '../../contract/roles.ts'

export const sendOperation = 'campaign.send'

/** Sending again to who failed or is in doubt: beside the approval that the list was sent with. */
export const reopenOperation = 'campaign.reopen'

/** Who may send a campaign may approve one. */
export const approverRole: Role = 'editor'
