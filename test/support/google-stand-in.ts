/**
 * A stand-in for Google's token address and its Postmaster Tools API, version 2: an HTTP server
 * that verifies each signed text and token, and answers in the shapes of the public discovery
 * document.
 */
import { generateKeyPairSync, verify } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface GoogleDomain {
  /**
   * Spam rates by day, such as `{ '2026-11-21': 0.0012 }`; Google leaves out days of little mail.
   */
  rates: Record<string, number>
  needsWork?: string[]
  compliant?: string[]
  permission?: 'OWNER' | 'READER' | 'NONE'
  /** In place of its statistics. */
  failure?: { status: number; message: string }
}

export interface GoogleStandIn {
  url: string
  /** The key file of the service account, as Google Cloud makes it. */
  keyFile: Record<string, string>
  domains: Map<string, GoogleDomain>
  /** Claims of the last text that asked for a token. */
  claims: Record<string, unknown>
  /** Calls by their path, in order. */
  requests: string[]
  /** Entries of a page at most: fewer than the API's, so that lists have several. */
  pageMax: number
  /** Refuses everything with this status. */
  refuses: number | null
  close(): Promise<void>
}

const token = 'ya29.c.stand-in-token'

export async function startGoogleStandIn(): Promise<GoogleStandIn> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const server = createServer(
    (request, response) => void handle(request, response).catch(() => response.destroy()),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const standIn: GoogleStandIn = {
    url,
    keyFile: {
      type: 'service_account',
      project_id: 'acme-mail',
      private_key_id: '3f5a0c',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      client_email: 'postmaster@acme-mail.iam.gserviceaccount.com',
      client_id: '112233',
      token_uri: `${url}/token`,
    },
    domains: new Map(),
    claims: {},
    requests: [],
    pageMax: 200,
    refuses: null,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readAll(request)
    const requests = new URL(request.url ?? '/', url)
    standIn.requests.push(`${request.method} ${requests.pathname}`)
    const answer = (status: number, json: unknown): void => {
      response
        .writeHead(status, { 'content-type': 'application/json; charset=UTF-8' })
        .end(JSON.stringify(json))
    }
    const fail = (status: number, message: string): void =>
      answer(status, { error: { code: status, message, status: 'X' } })
    if (requests.pathname === '/token') return giveToken(body, answer)
    if (standIn.refuses !== null) return fail(standIn.refuses, 'Quota exceeded')
    if (request.headers.authorization !== `Bearer ${token}`)
      return fail(401, 'Request had invalid authentication credentials.')
    if (request.method === 'GET' && requests.pathname === '/v2/domains') {
      const all = [...standIn.domains].map(([name, { permission = 'READER' }]) => ({
        ...{
          name: `domains/${name}`,
          createTime: '2026-01-02T03:04:05Z',
          permission,
          verificationState: 'VERIFIED',
        },
      }))
      return answer(200, page('domains', all, requests.searchParams.get('pageToken')))
    }
    const [, name = '', rest] = /^\/v2\/domains\/([^/:]+)\/(.+)$/.exec(requests.pathname) ?? []
    const domain = standIn.domains.get(decodeURIComponent(name))
    if (!domain) return fail(403, 'The caller does not have permission')
    if (domain.failure) return fail(domain.failure.status, domain.failure.message)
    if (request.method === 'POST' && rest === 'domainStats:query')
      return answerStats(name, domain, JSON.parse(body) as StatsQuestion, answer)
    if (request.method === 'GET' && rest === 'complianceStatus')
      return answer(200, complianceOf(name, domain))
    fail(404, 'Not found')
  }

  function giveToken(body: string, answer: (status: number, json: unknown) => void): void {
    const form = new URLSearchParams(body)
    const [head = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.')
    const isSigned = verify(
      'sha256',
      Buffer.from(`${head}.${claims}`),
      publicKey,
      Buffer.from(signature, 'base64url'),
    )
    standIn.claims = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<
      string,
      unknown
    >
    const { alg } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { alg: string }
    const isGrant = form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer'
    if (!isSigned || alg !== 'RS256' || !isGrant || standIn.claims['aud'] !== `${url}/token`)
      return answer(400, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' })
    answer(200, { access_token: token, expires_in: 3599, token_type: 'Bearer' })
  }

  interface StatsQuestion {
    metricDefinitions: { name: string; baseMetric: { standardMetric: string } }[]
    timeQuery: { dateRanges: { dateRanges: { start: GoogleDate; end: GoogleDate }[] } }
    aggregationGranularity: string
    pageSize: number
    pageToken?: string
  }

  function answerStats(
    name: string,
    { rates }: GoogleDomain,
    { metricDefinitions, timeQuery, pageToken }: StatsQuestion,
    answer: (status: number, json: unknown) => void,
  ): void {
    const [range] = timeQuery.dateRanges.dateRanges
    const [metric] = metricDefinitions
    if (!range || metric?.baseMetric.standardMetric !== 'SPAM_RATE')
      return answer(400, { error: { message: 'Invalid metric' } })
    const stats = Object.entries(rates)
      .filter(([day]) => day >= textOf(range.start) && day <= textOf(range.end))
      .map(([day, rate], index) => ({
        name: `domains/${name}/domainStats/${index}`,
        ...{ metric: metric.name, date: dateOf(day), value: { doubleValue: rate } },
      }))
    answer(200, page('domainStats', stats, pageToken ?? null))
  }

  const page = (key: string, all: object[], pageToken: string | null): object => {
    const from = Number(pageToken ?? 0)
    const isLast = from + standIn.pageMax >= all.length
    return {
      [key]: all.slice(from, from + standIn.pageMax),
      ...(!isLast && { nextPageToken: String(from + standIn.pageMax) }),
    }
  }
  return standIn
}

interface GoogleDate {
  year: number
  month: number
  day: number
}

const textOf = ({ year, month, day }: GoogleDate): string =>
  [String(year), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-')

function dateOf(text: string): GoogleDate {
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number)
  return { year, month, day }
}

function complianceOf(name: string, { needsWork = [], compliant = [] }: GoogleDomain): object {
  const row = (status: string) => (requirement: string) => ({ requirement, status: { status } })
  return {
    name: `domains/${name}/complianceStatus`,
    complianceData: {
      domainId: name,
      rowData: [...needsWork.map(row('NEEDS_WORK')), ...compliant.map(row('COMPLIANT'))],
      oneClickUnsubscribeVerdict: { status: { status: 'COMPLIANT' } },
      honorUnsubscribeVerdict: { status: { status: 'STATE_UNSPECIFIED' } },
    },
  }
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

/** Such as `daysAgo(2)`, of UTC. */
export const daysAgo = (days: number): string =>
  new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
