/**
 * AWS Signature Version 4 of one request (IAM User Guide, "Create a signed AWS API request").
 *
 * 1. The canonical request: method, path, query, headers, digest of the body.
 * 2. The string to sign: its digest, with time and scope.
 * 3. A key derived for that day, region and service; its HMAC of the string is the signature.
 */
import { createHash, createHmac } from 'node:crypto'

export interface AwsCredentials {
  accessKeyId: string
  secretAccessKey: string
  /** Of a temporary key. Absent if the key is a user's own. */
  sessionToken?: string
}

export interface RequestToSign {
  method: string
  url: URL
  /**
   * Names in any case; `host`, `x-amz-date` and, with a temporary key, `x-amz-security-token` are
   * added.
   */
  headers: Record<string, string>
  body: Buffer | string
  region: string
  /** The service's signing name: `ses`, `sqs`. */
  service: string
  at: Date
}

const algorithm = 'AWS4-HMAC-SHA256'

/** The headers to send: those given, those that are added, and `authorization`. */
export function signRequest(
  request: RequestToSign,
  credentials: AwsCredentials,
): Record<string, string> {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials
  const { method, url, body, region, service } = request
  const time = request.at.toISOString().replaceAll(/[-:]|\.\d{3}/g, '')
  const day = time.slice(0, 8)
  const headers = {
    ...lowerCased(request.headers),
    ...{ host: url.host, 'x-amz-date': time },
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  }
  const signedHeaders = Object.keys(headers).toSorted().join(';')
  const canonical = [
    method,
    canonicalPath(url.pathname),
    canonicalQuery(url.searchParams),
    ...Object.entries(headers).toSorted(byName).map(canonicalHeader),
    '',
    signedHeaders,
    digest(body),
  ].join('\n')
  const scope = `${day}/${region}/${service}/aws4_request`
  const stringToSign = [algorithm, time, scope, digest(canonical)].join('\n')
  const key = [day, region, service, 'aws4_request'].reduce<Buffer | string>(
    sign,
    `AWS4${secretAccessKey}`,
  )
  const signature = sign(key, stringToSign).toString('hex')
  const authorization = `${algorithm} Credential=${accessKeyId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`
  return { ...headers, authorization }
}

const digest = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex')

const sign = (key: Buffer | string, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest()

const lowerCased = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** Orders by code points, as this signature does everywhere. */
const byName = ([a]: [string, string], [b]: [string, string]): number =>
  a < b ? -1 : a > b ? 1 : 0

const canonicalHeader = ([name, value]: [string, string]): string =>
  `${name}:${value.trim().replaceAll(/ +/g, ' ')}`

/** The signature encodes each segment once more than the request does, for every service but S3. */
const canonicalPath = (path: string): string => path.split('/').map(encode).join('/')

const canonicalQuery = (query: URLSearchParams): string =>
  [...query]
    .map(([name, value]): [string, string] => [encode(name), encode(value)])
    .toSorted(([a, x], [b, y]) => byName([a, ''], [b, '']) || byName([x, ''], [y, '']))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')

/** RFC 3986 2.3: only its unreserved characters stay. */
const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
