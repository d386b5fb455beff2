/** `facteur subscribers …`: the people of a workspace, in bulk and one by one. */
import { subscribersImport } from './subscriber-import-command.ts'

export const subscriberCommands = [subscribersImport]
