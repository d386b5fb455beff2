/**
 * Asks the Postmaster Tools API of Google, version 2
 * (developers.google.com/workspace/gmail/postmaster/reference/rest/v2).
 *
 * 1. a signed text of the service account for an access token (RFC 7523)
 * 2. which domains the account may read: `domains.list`
 * 3. of each, Gmail's spam rate by day (`domains.domainStats.query`) and its compliance
 *    (`domains.getComplianceStatus`)
 */
import type { Clock } from '../../ground/clock.ts'
import type { Outbound } from '../../ground/outbound/create-outbound.ts'
import { jsonFields, textOf } from '../../ground/read-json.ts'
import { callGoogle, type GoogleAnswer } from './call-google.ts'
import {
  readCompliance,
  readDomains,
  readSpamRates,
  type GmailCompliance,
} from './read-postmaster-answers.ts'
import { signAssertion, type ServiceAccount } from './service-account.ts'
import type { PostmasterDay } from '../../db/postmaster/postmaster-domains.ts'

export interface PostmasterAccount {
  account: ServiceAccount
  /** In whose name the account asks. Null means its own. */
  user: string | null
  /** The API's address, without a slash at its end. */
  endpoint: string
}

export type Read<T> = { kind: 'read'; value: T } | Extract<GoogleAnswer, { kind: 'failed' }>

const scope =
  'https://www.googleapis.com/auth/postmaster.traffic.readonly https://www.googleapis.com/auth/postmaster.domain'
/** The API's limit of a page. */
const pageSize = 200
/**
 * Pages of a list at most: the account of an installation may read as many domains as a page times
 * this.
 */
const pagesMax = 25

interface Ports {
  outbound: Pick<Outbound, 'send'>
  clock: Pick<Clock, 'now'>
  signal: AbortSignal
}

/** An account with its access token, which lasts an hour: longer than a round. */
export interface PostmasterSession {
  listDomains(): Promise<Read<string[]>>
  /** Of the days from `from` to `to`; days of little mail are absent. */
  spamRates(domain: string, range: { from: Date; to: Date }): Promise<Read<PostmasterDay[]>>
  compliance(domain: string): Promise<Read<GmailCompliance>>
}

export async function openPostmaster(
  ports: Ports,
  request: PostmasterAccount,
): Promise<Read<PostmasterSession>> {
  const { signal, clock } = ports
  const { account, user, endpoint } = request
  const assertion = signAssertion(account, { scope, user, now: clock.now() })
  const grant = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion,
  })
  const answer = await callGoogle(ports, {
    ...{ method: 'POST', url: account.tokenUrl, body: grant.toString(), signal },
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
  })
  if (answer.kind === 'failed') return answer
  const token = textOf(jsonFields(answer.json)['access_token'])
  // The token goes into a header.
  if (token === null || !/^[\x21-\x7e]{1,4096}$/.test(token))
    return { kind: 'failed', status: 200, why: `${account.tokenUrl.host} gave no access token` }
  return { kind: 'read', value: createSession(ports, { token, endpoint }) }
}

function createSession(
  ports: Ports,
  { token, endpoint }: { token: string; endpoint: string },
): PostmasterSession {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' }
  const ask = (path: string, body?: object): Promise<GoogleAnswer> =>
    callGoogle(ports, {
      ...{
        method: body ? 'POST' : 'GET',
        url: new URL(`${endpoint}/v2/${path}`),
        signal: ports.signal,
      },
      headers: body ? { ...headers, 'content-type': 'application/json' } : headers,
      ...(body && { body: JSON.stringify(body) }),
    })
  const placeOf = (domain: string): string => `domains/${encodeURIComponent(domain)}`
  return {
    listDomains: () =>
      allPages(
        (pageToken) =>
          ask(
            `domains?${new URLSearchParams({ pageSize: String(pageSize), ...(pageToken && { pageToken }) }).toString()}`,
          ),
        readDomains,
      ),
    spamRates: (domain, { from, to }) =>
      allPages(
        (pageToken) =>
          ask(`${placeOf(domain)}/domainStats:query`, {
            metricDefinitions: [{ name: spamRate, baseMetric: { standardMetric: 'SPAM_RATE' } }],
            timeQuery: {
              dateRanges: { dateRanges: [{ start: googleDate(from), end: googleDate(to) }] },
            },
            aggregationGranularity: 'DAILY',
            ...{ pageSize, ...(pageToken && { pageToken }) },
          }),
        (json) => readSpamRates(json, spamRate),
      ),
    async compliance(domain) {
      const answer = await ask(`${placeOf(domain)}/complianceStatus`)
      return answer.kind === 'failed'
        ? answer
        : { kind: 'read', value: readCompliance(answer.json) }
    },
  }
}

/** Our name of the metric in the question, which its lines of the answer repeat. */
const spamRate = 'spam_rate'

/** `google.type.Date`. */
const googleDate = (at: Date) => ({
  year: at.getUTCFullYear(),
  month: at.getUTCMonth() + 1,
  day: at.getUTCDate(),
})

async function allPages<T>(
  askPage: (pageToken: string | null) => Promise<GoogleAnswer>,
  read: (json: unknown) => T[],
): Promise<Read<T[]>> {
  const all: T[] = []
  let pageToken: string | null = null
  for (let page = 0; page < pagesMax; page++) {
    const answer: GoogleAnswer = await askPage(pageToken)
    if (answer.kind === 'failed') return answer
    all.push(...read(answer.json))
    pageToken = textOf(jsonFields(answer.json)['nextPageToken'])
    if (pageToken === null) break
  }
  return { kind: 'read', value: all }
}
