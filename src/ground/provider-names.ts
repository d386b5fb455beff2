/**
 * Lists the providers by which mail can leave: `FACTEUR_PROVIDER` and `provider set` take these
 * names, and settings show them.
 */

export const providerNames = ['local-capture', 'smtp-relay', 'direct-mx', 'amazon-ses'] as const
export type ProviderName = (typeof providerNames)[number]
