/** Goes in once a user is signed in: back to where they came from, by a full load, so that nothing that was read before stays. */

export function goToApp(to: string | null = new URLSearchParams(window.location.search).get('to')): void {
  window.location.assign(isOurs(to) ? to : '/app')
}

/** A link must not make us send users away: a path below /app, as the browser itself understands it. */
function isOurs(to: string | null): to is string {
  const url = to === null ? null : URL.parse(to, window.location.origin)
  return url !== null && url.origin === window.location.origin && /^\/app(?:\/|$)/.test(url.pathname)
}
