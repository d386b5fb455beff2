/** The names of all settings, and the detection of names in an environment that look like settings and are none. */
import { distanceBetween, nearest } from './nearest.ts'

/** In the order of the configuration table. */
export const settingNames = [
  'FACTEUR_PORT',
  'FACTEUR_HOST',
  'FACTEUR_BASE_URL',
  'FACTEUR_TRUST_PROXY',
  'FACTEUR_LANGUAGE',
  'FACTEUR_DATA',
  'DATABASE_URL',
  'FACTEUR_MASTER_KEY',
  'FACTEUR_DISK_FREE_MB',
  'FACTEUR_ALLOWED_RANGES',
  'FACTEUR_PROVIDER',
  'FACTEUR_SMTP_URL',
  'FACTEUR_SMTP_CONNECTIONS',
  'FACTEUR_SES_REGION',
  'FACTEUR_SES_ACCESS_KEY_ID',
  'FACTEUR_SES_SECRET_ACCESS_KEY',
  'FACTEUR_SES_CONFIGURATION_SET',
  'FACTEUR_SES_TOPIC_ARN',
  'FACTEUR_SES_QUEUE_URL',
  'FACTEUR_SES_ENDPOINT',
  'FACTEUR_HELO_NAME',
  'FACTEUR_SOURCE_ADDRESS',
  'FACTEUR_MX_CONNECTIONS',
  'FACTEUR_MX_PORT',
  'FACTEUR_MTA_STS_PORT',
  'FACTEUR_RATE_PER_SECOND',
  'FACTEUR_INLINE_SECONDS',
  'FACTEUR_DNS_SERVERS',
  'FACTEUR_SPF',
  'FACTEUR_INBOUND_DOMAIN',
  'FACTEUR_INBOUND_PORT',
  'FACTEUR_INBOUND_HOST',
  'FACTEUR_INBOUND_TLS_CERT',
  'FACTEUR_INBOUND_TLS_KEY',
  'FACTEUR_RETRY_FIRST_SECONDS',
  'FACTEUR_RETRY_MAX_SECONDS',
  'FACTEUR_QUEUE_LIFE_SECONDS',
  'FACTEUR_DELIVERED_AFTER_SECONDS',
  'FACTEUR_IN_DOUBT',
  'FACTEUR_LEASE_SECONDS',
  'FACTEUR_LOG_LEVEL',
  'FACTEUR_STOP_SECONDS',
  'FACTEUR_OPERATOR_TOKEN',
  'FACTEUR_HEALTH_PORT',
  'FACTEUR_FAILPOINTS',
] as const

export type SettingName = (typeof settingNames)[number]

/** Names that the documents give to other programs: callers of the API, receivers of webhooks, compose.yaml, the tests, the launcher. */
const namesOfOthers = new Set([
  'FACTEUR_KEY',
  'FACTEUR_WEBHOOK_SECRET',
  'FACTEUR_DATABASE_PASSWORD',
  'FACTEUR_MAIL_SERVERS',
  'FACTEUR_INVOKED_AS',
])

/** One line for each name that looks like a setting and is none, with the nearest setting. An empty variable counts as absent. */
export function unknownSettings(env: Record<string, string | undefined>): string[] {
  return Object.entries(env).flatMap(([name, value = '']) => {
    if (value.trim() === '' || isSetting(name) || namesOfOthers.has(name) || isServiceLink(name, value) || !looksLikeOurs(name))
      return []
    const meant = nearest(withoutPrefix(name), [...bySuffix.keys()])
    const next = meant === null ? 'take it away, or see .env.example' : `did you mean ${bySuffix.get(meant)}?`
    return [`${name} is no setting of Facteur: ${next}`]
  })
}

export const isSetting = (name: string): boolean => settingNames.some((known) => known === name)

/** The settings without their prefix, in lower case. */
const bySuffix = new Map(settingNames.filter((name) => name.startsWith('FACTEUR_')).map((name) => [withoutPrefix(name), name]))

function withoutPrefix(name: string): string {
  return name.slice(name.indexOf('_') + 1).toLowerCase()
}

/** Our prefix in any case, or with one slip of the hand before the exact name of a setting. Facter is another program. */
function looksLikeOurs(name: string): boolean {
  const prefix = name.slice(0, Math.max(0, name.indexOf('_'))).toLowerCase()
  if (prefix === 'facteur') return true
  return prefix !== 'facter' && bySuffix.has(withoutPrefix(name)) && distanceBetween(prefix, 'facteur') === 1
}

/** Kubernetes describes a service that is called facteur, or begins so, by such names (Kubernetes: Accessing the Service). */
const isServiceLink = (name: string, value: string): boolean =>
  /_SERVICE_(?:HOST|PORT(?:_\w+)?)$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:ADDR|PORT|PROTO))?$/.test(name) ||
  (name.endsWith('_PORT') && /^(?:tcp|udp|sctp):\/\//.test(value))
