/** Links on a customer's host use the same scheme, port and path as ours. */
export function trackingBaseUrl(baseUrl: string, host: string): string {
  const { protocol, port, pathname } = new URL(baseUrl)
  return `${protocol}//${host}${port === '' ? '' : `:${port}`}${pathname.replace(/\/$/, '')}`
}
