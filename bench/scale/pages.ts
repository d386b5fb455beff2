/**
 * The requests of the workspace pages whose answers grow with the audience, by the name of their
 * figure.
 */

/** Addresses below the workspace's, first pages. */
export function pagesOf(campaignId: string): Record<string, string> {
  const campaign = `/campaigns/${campaignId}`
  return {
    'pages: overview': '/overview',
    'pages: suppression': '/suppression',
    'pages: one address closed': '/suppression?email=gone7@example.com',
    'pages: campaigns': '/campaigns',
    'pages: reach': `${campaign}/reach`,
    'pages: run': `${campaign}/run`,
    'pages: results': `${campaign}/results`,
    'pages: heat map': `${campaign}/heat-map`,
    'pages: recipients': `${campaign}/recipients`,
    'pages: recipients by name': `${campaign}/recipients?q=martin`,
    'pages: one recipient': `${campaign}/recipients?q=thomas2313@`,
    ...Object.fromEntries(
      outcomes.map((only) => [`pages: ${only}`, `${campaign}/recipients?only=${only}`]),
    ),
  }
}

const outcomes = [
  ...['pending', 'sent', 'failed', 'suppressed', 'in_doubt', 'delivered'],
  ...['opened', 'clicked', 'bounced', 'complained', 'unsubscribed'],
]

/** Those of which a page behind the first is asked for too. */
export const walked = new Set([
  'pages: suppression',
  'pages: recipients',
  'pages: opened',
  'pages: failed',
])
