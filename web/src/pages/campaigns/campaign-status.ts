/** A campaign's state as its list says it: a paused one, and a draft that cannot be sent yet, have words of their own. */
import type { FoundCampaign } from '../../../../src/contract/workspace/drafts.ts'
import type { Tone } from '../../parts/Status.tsx'

export const campaignStatuses = ['draft', 'scheduled', 'sending', 'sent', 'archived'] as const

type Word = (typeof campaignStatuses)[number] | 'paused' | 'unfinished'

const tones: Record<Word, Tone> = {
  ...{
    draft: 'quiet',
    unfinished: 'quiet',
    scheduled: 'warning',
    sending: 'busy',
    paused: 'warning',
    sent: 'good',
    archived: 'quiet',
  },
}

export function campaignStatusOf({ status, paused, unfinished }: Pick<FoundCampaign, 'status' | 'paused' | 'unfinished'>): {
  word: Word
  tone: Tone
} {
  const word = paused ? 'paused' : status === 'draft' && unfinished ? 'unfinished' : status
  return { word, tone: tones[word] }
}
