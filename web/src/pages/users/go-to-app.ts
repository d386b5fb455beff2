/**
 * Leads a signed-in user back to the previous page by a full load, so that no earlier answers stay.
 */

export function goToApp(
  to: string | null = new URLSearchParams(window.location.search).get('to'),
): void {
  window.location.assign(isOurs(to) ? to : '/app')
}

/**
 * Accepts only a path below /app, as the browser parses it: a link must not send users to another
 * site.
 */
function isOurs(to: string | null): to is string {
  const url = to === null ? null : URL.parse(to, window.location.origin)
  return (
    url !== null && url.origin === window.location.origin && /^\/app(?:\/|$)/.test(url.pathname)
  )
}
