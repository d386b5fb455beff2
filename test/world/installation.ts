/**
 * An installation of ours in this world, as an operator sets it up: settings, commands, DNS records
 * as shown, and calls.
 */
import assert from 'node:assert/strict'
import { createOperator, type Operator } from '../cli/facteur.ts'
import { ask, textAt } from '../support/ask.ts'
import { freshDatabase } from '../support/database.ts'
import type { DnsServer, ZoneRecords } from '../support/dns-server.ts'
import { startProgram, type Scope } from '../support/service.ts'
import { allowedRanges, ours, relayed } from './places.ts'
import { until } from '../support/until.ts'

const hearing = (host: { name: string; v4: string }, domain: string): Record<string, string> => ({
  FACTEUR_HELO_NAME: host.name,
  FACTEUR_INBOUND_DOMAIN: domain,
  FACTEUR_INBOUND_PORT: '25',
  FACTEUR_INBOUND_HOST: host.v4,
  FACTEUR_RETRY_FIRST_SECONDS: '1',
})

/** As for one machine whose name is in DNS. */
export const ownDelivery: Record<string, string> = {
  ...hearing(ours, 'bounces.facteur.test'),
  FACTEUR_PROVIDER: 'direct-mx',
  FACTEUR_SOURCE_ADDRESS: `${ours.v4},${ours.v6}`,
  FACTEUR_ALLOWED_RANGES: allowedRanges,
}

/** By the relay of others, whose certificate that authority signed. */
export const byRelay = (authority: string): Record<string, string> => ({
  ...hearing(relayed, 'bounces.relayed.test'),
  FACTEUR_SMTP_URL: `smtp://relay.test:25?tls=required&ca=${authority}`,
})

export interface Installation {
  baseUrl: string
  key: string
  /** The workspace's domain. */
  domain: string
  /** Shown when it was added. */
  records: ShownRecord[]
  operator: Operator
  databaseUrl: string
}

export interface RecipientNow {
  email: string
  status: string
  error: string | null
  response: string | null
  delivered_by: string | null
  attempts: number
  sent_at: string | null
}

/** Started, with the workspace Acme, one key and one domain. */
export async function startInstallation(
  scope: Scope,
  domain: string,
  settings: Record<string, string>,
): Promise<Installation> {
  const { url } = await freshDatabase()
  const env = {
    DATABASE_URL: url,
    FACTEUR_MASTER_KEY: Buffer.alloc(32, 25).toString('base64'),
    ...settings,
  }
  const operator = createOperator(env)
  const [program] = await Promise.all([
    startProgram(scope, { env }),
    operator.json(['workspace', 'create', 'Acme']),
  ])
  const [created, added] = await Promise.all([
    operator.json([
      'key',
      'create',
      '--workspace',
      'acme',
      '--name',
      'world',
      '--scopes',
      'emails:send,subscribers:read',
    ]),
    operator.json(['domain', 'add', '--workspace', 'acme', domain]),
    program.saying('Facteur is ready'),
    // Thirty mails that are looked after at once are more than 600 questions a minute.
    operator.json(['workspace', 'set', 'acme', '--rate-per-minute', '100000']),
  ])
  const { key }: { key: string } = JSON.parse(JSON.stringify(created))
  const { records }: { records: ShownRecord[] } = JSON.parse(JSON.stringify(added))
  return {
    baseUrl: `http://127.0.0.1:${program.port}`,
    key,
    domain,
    records,
    operator,
    databaseUrl: url,
  }
}

/**
 * Sets the records of its domain as they were shown and has them looked up; answers the report on
 * each.
 */
export async function verifyDomain(
  { operator, domain, records }: Installation,
  dns: DnsServer,
): Promise<unknown> {
  const zone = new Map<string, ZoneRecords>()
  for (const record of records)
    zone.set(record.name, { ...zone.get(record.name), ...inZone(record) })
  for (const [name, about] of zone) dns.set(name, about)
  return operator.json(['domain', 'verify', '--workspace', 'acme', domain])
}

interface ShownRecord {
  type: 'TXT' | 'MX' | 'CNAME'
  name: string
  value: string
}

function inZone({ type, value }: ShownRecord): ZoneRecords {
  if (type === 'CNAME') return { CNAME: value }
  if (type === 'TXT') return { TXT: [value] }
  const [preference = '', exchange = ''] = value.split(' ')
  return { MX: [{ preference: Number(preference), exchange }] }
}

/** Answers the message's id. */
export async function sendMail(
  { baseUrl, key, domain }: Installation,
  to: string[],
): Promise<string> {
  const body = {
    from: `Acme <hello@${domain}>`,
    to,
    subject: 'Grüße',
    text: 'Hello.\n.\nBye.',
    html: '<p>Hello.</p>',
  }
  const answer = await ask(baseUrl, 'POST /api/v1/emails', { key, body })
  assert.equal(answer.status, 202, JSON.stringify(answer.body))
  return textAt(answer, 'id')
}

export async function recipientsOf(
  { baseUrl, key }: Installation,
  id: string,
): Promise<RecipientNow[]> {
  const answer = await ask(baseUrl, `GET /api/v1/emails/${id}`, { key })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const { recipients }: { recipients: RecipientNow[] } = JSON.parse(JSON.stringify(answer.body))
  return recipients
}

/** The recipients, once they stand so, in their order. */
export async function untilStatuses(
  installation: Installation,
  id: string,
  expected: string[],
): Promise<RecipientNow[]> {
  return until(
    () => recipientsOf(installation, id),
    (recipients) => recipients.every(({ status }, index) => status === expected[index]),
  )
}

/** Who is suppressed for having bounced, in the order of the alphabet. */
export async function suppressedBy({ baseUrl, key }: Installation): Promise<string[]> {
  const answer = await ask(baseUrl, 'GET /api/v1/suppression?limit=100', { key })
  const { data }: { data: { email: string; reason: string }[] } = JSON.parse(
    JSON.stringify(answer.body),
  )
  return data
    .filter(({ reason }) => reason === 'bounce')
    .map(({ email }) => email)
    .toSorted()
}
