/** Tells whether a host or an address is this machine's own. */

/** Whether bytes to this host never leave the machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)
}

/** Whether an address leads to this machine. */
export const leadsHere = (url: string): boolean =>
  isLoopback(new URL(url).hostname.replaceAll(/^\[|\]$/g, ''))
