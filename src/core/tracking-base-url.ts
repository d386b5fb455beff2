/** Links by a customer's host are reached as ours are: same scheme, port and path. */
export function trackingBaseUrl(baseUrl: string, host: string): string {
  const { protocol, port, pathname } = new URL(baseUrl)
  return `${protocol}//${host}${port === '' ? '' : `:${port}`}${pathname.replace(/\/$/, '')}`
}
