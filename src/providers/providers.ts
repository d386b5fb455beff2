/**
 * Finds the provider of a workspace's mail: the deployment's, or its own. All code above the
 * providers uses this interface.
 */
import type { FeedbackAccount } from './provider-parts.ts'
import type { Provider } from './provider.ts'

export interface Providers {
  /** The deployment's: of every workspace that has none of its own. */
  readonly deployment: Provider
  /**
   * The present provider of a workspace's mail. Callers ask for each message: the object stays the
   * same until a change.
   */
  of(workspaceId: number): Provider
  /** The rate of that provider. Null if it has none. */
  rateOf(workspaceId: number): ProviderRate | null
  /** The open providers of this process, the deployment's first. */
  open(): Provider[]
  /** The source of feedback on mail that comes neither by mail nor in the answer. */
  feedbackSources(): FeedbackSource[]
  /** Closes all of them: each lets hand-offs in flight end, up to `withinMs`, then drops them. */
  close(withinMs: number): Promise<void>
}

export interface ProviderRate {
  /** Its row of `provider_rate`, one for all processes. */
  key: string
  /** Messages a second; null is no limit but what the provider's own throttling sets. */
  perSecond: number | null
}

/**
 * An account whose notices come: the deployment's, which any workspace's mail may have left by
 * (null), or a workspace's own.
 */
export interface FeedbackSource {
  workspaceId: number | null
  settings: FeedbackAccount
}

/** The capture mailbox takes mail as fast as the database does. */
export const rateOf = (
  provider: Provider,
  key: string,
  perSecond: number | null,
): ProviderRate | null => (provider.captures ? null : { key, perSecond })
