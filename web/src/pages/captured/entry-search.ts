/** A press on a campaign's entry unfolds it: its mails become the list. */
import type { Entry } from './use-mailbox.ts'

export const searchOfEntry = (
  { mails, campaign }: Entry,
  search: Record<string, string>,
): Record<string, string> => (mails > 1 && campaign ? { ...search, campaign: campaign.id } : search)
