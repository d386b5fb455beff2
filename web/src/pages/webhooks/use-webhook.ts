/** One webhook with its health, read with all of them: there are twenty at most. */
import type { WebhookHealth } from '../../../../src/contract/workspace/webhooks.ts'
import { useAsk } from '../../api/use-ask.ts'
import type { Got } from '../../api/client.ts'

export interface WebhookRead {
  health: WebhookHealth | undefined
  all: Got<'listWebhookHealth'> | undefined
  isLoading: boolean
  error: Error | null
  retry: () => void
}

/** Watched: what is on its way shows as it arrives. */
export function useWebhook(id: string): WebhookRead {
  const { data, error, isPending, refetch } = useAsk('listWebhookHealth', undefined, { poll: 4_000 })
  return {
    health: data?.webhooks.find(({ webhook }) => webhook.id === id),
    all: data,
    isLoading: isPending,
    error: data ? null : error,
    retry: () => void refetch(),
  }
}
