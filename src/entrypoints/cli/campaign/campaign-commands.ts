/** `facteur campaign …`: the commands of campaigns, from the draft to the statistics. */
import { campaignCheckCommands } from './check-commands.ts'
import { campaignControlCommands } from './control-commands.ts'
import { campaignPlanCommands } from './plan-commands.ts'
import { campaignRecipients } from './recipients-command.ts'
import { campaignSend } from './send-command.ts'
import { campaignRecount, campaignStats } from './stats-commands.ts'
import { campaignList, campaignShow } from './show-command.ts'
import { campaignWatch } from './watch-command.ts'
import { campaignWriteCommands } from './write-commands.ts'

/** In the order in which an author meets them. */
export const campaignCommands = [
  ...campaignWriteCommands,
  campaignList,
  campaignShow,
  ...campaignCheckCommands,
  ...campaignPlanCommands,
  campaignSend,
  ...campaignControlCommands,
  campaignWatch,
  campaignRecipients,
  campaignStats,
  campaignRecount,
]
