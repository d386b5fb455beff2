/** `facteur webhook …`: the commands of webhooks, in the order in which an operator needs them. */
import { webhookReadCommands } from './read-commands.ts'
import { webhookSendCommands } from './send-commands.ts'
import { webhookWriteCommands } from './write-commands.ts'

export const webhookCommands = [...webhookWriteCommands, ...webhookReadCommands, ...webhookSendCommands]
