/**
 * Reads the state of an Amazon SES account: whether it may send, how fast, and how much is left of the day (SES v2
 * API: GetAccount).
 */
import { callAws, type AwsPorts } from './call-aws.ts'
import { whyOf } from './queue.ts'
import { jsonFields, textOf } from '../../read-json.ts'
import { sesEndpoint, type SesSettings } from './ses-settings.ts'

export interface SesAccount {
  sendingEnabled: boolean
  /** False: in the sandbox, where recipients have to be verified too. */
  productionAccess: boolean
  enforcement: string | null
  maxPerSecond: number | null
  sentLast24Hours: number | null
  maxPer24Hours: number | null
}

export async function readAccount(
  ports: AwsPorts,
  settings: SesSettings,
  signal: AbortSignal,
): Promise<SesAccount | { failed: string; status: number | null }> {
  const url = new URL('/v2/email/account', sesEndpoint(settings))
  const answer = await callAws(ports, settings, {
    ...{ method: 'GET', service: 'ses', url, headers: {}, body: '', signal, withinMs: 15_000 },
  })
  if (answer.kind === 'failed' || answer.status !== 200)
    return { failed: whyOf(answer), status: answer.kind === 'failed' ? null : answer.status }
  const account = jsonFields(answer.json)
  const quota = jsonFields(account.SendQuota)
  return {
    sendingEnabled: account.SendingEnabled === true,
    productionAccess: account.ProductionAccessEnabled === true,
    enforcement: textOf(account.EnforcementStatus),
    maxPerSecond: numberOf(quota.MaxSendRate),
    sentLast24Hours: numberOf(quota.SentLast24Hours),
    maxPer24Hours: numberOf(quota.Max24HourSend),
  }
}

/** Null: the answer has none; -1 means no limit. */
const numberOf = (value: unknown): number | null => (typeof value === 'number' && value >= 0 ? value : null)
