/** Finds names in an environment that look like settings and are none. */
import { distanceBetween, nearest } from './nearest.ts'

/**
 * Names that the documents give to other programs: callers of the API, receivers of webhooks,
 * compose.yaml, the tests, the launcher.
 */
const namesOfOthers = new Set([
  'FACTEUR_KEY',
  'FACTEUR_WEBHOOK_SECRET',
  'FACTEUR_DATABASE_PASSWORD',
  'FACTEUR_MAIL_SERVERS',
  'FACTEUR_INVOKED_AS',
])

/**
 * One line for each name that looks like a setting and is none, with the nearest setting. An empty
 * variable counts as absent.
 */
export function unknownSettings(
  env: Record<string, string | undefined>,
  settings: readonly string[],
): string[] {
  /** The settings without their prefix, in lower case. */
  const bySuffix = new Map(
    settings
      .filter((name) => name.startsWith('FACTEUR_'))
      .map((name) => [withoutPrefix(name), name]),
  )
  const isOurs = (name: string): boolean => settings.includes(name) || namesOfOthers.has(name)
  return Object.entries(env).flatMap(([name, value = '']) => {
    if (
      value.trim() === '' ||
      isOurs(name) ||
      isServiceLink(name, value) ||
      !resemblesOurs(name, bySuffix)
    )
      return []
    const meant = nearest(withoutPrefix(name), [...bySuffix.keys()])
    const next =
      meant === null ? 'take it away, or see .env.example' : `did you mean ${bySuffix.get(meant)}?`
    return [`${name} is no setting of Facteur: ${next}`]
  })
}

function withoutPrefix(name: string): string {
  return name.slice(name.indexOf('_') + 1).toLowerCase()
}

/**
 * Our prefix in any case, or with one slip of the hand before the exact name of a setting. Facter
 * is another program.
 */
function resemblesOurs(name: string, bySuffix: ReadonlyMap<string, string>): boolean {
  const prefix = name.slice(0, Math.max(0, name.indexOf('_'))).toLowerCase()
  if (prefix === 'facteur') return true
  return (
    prefix !== 'facter' &&
    bySuffix.has(withoutPrefix(name)) &&
    distanceBetween(prefix, 'facteur') === 1
  )
}

/**
 * Kubernetes describes a service that is called facteur, or begins so, by such names (Kubernetes:
 * Accessing the Service).
 */
const isServiceLink = (name: string, value: string): boolean =>
  /_SERVICE_(?:HOST|PORT(?:_\w+)?)$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:ADDR|PORT|PROTO))?$/.test(
    name,
  ) ||
  (name.endsWith('_PORT') && /^(?:tcp|udp|sctp):\/\//.test(value))
