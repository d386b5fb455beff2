/**
 * Reads the key file of a service account of Google, and signs the text that asks for an access
 * token (RFC 7523).
 */
import { createPrivateKey, sign, type KeyObject } from 'node:crypto'
import { OperatorError } from '../../ground/operator-error.ts'
import { jsonFields, parseJson, textOf } from '../../ground/read-json.ts'

export interface ServiceAccount {
  /** The address that Postmaster Tools know it by. */
  email: string
  keyId: string | null
  key: KeyObject
  /** Where a signed text is given for an access token. */
  tokenUrl: URL
}

/**
 * `source` names the setting and its file. Throws `OperatorError` with one line, which holds
 * nothing of the file.
 */
export function readServiceAccount(json: string, source: string): ServiceAccount {
  const { type, client_email, private_key, private_key_id, token_uri } = jsonFields(parseJson(json))
  const refuse = (expected: string): OperatorError =>
    new OperatorError(`${source} holds no key of a service account: ${expected}`)
  if (type !== 'service_account')
    throw refuse(
      'expected the JSON file that Google Cloud makes for one, with "type": "service_account"',
    )
  const email = textOf(client_email)
  const pem = textOf(private_key)
  const tokenUrl = URL.parse(textOf(token_uri) ?? '')
  if (email === null || !/^[^\s@]+@[^\s@]+$/.test(email))
    throw refuse('its client_email is no address')
  if (tokenUrl === null) throw refuse('its token_uri is no address')
  const key = pem === null ? null : readKey(pem)
  if (key === null) throw refuse('its private_key is no RSA key in PEM')
  return { email, keyId: textOf(private_key_id), key, tokenUrl }
}

function readKey(pem: string): KeyObject | null {
  try {
    const key = createPrivateKey(pem)
    return key.asymmetricKeyType === 'rsa' ? key : null
  } catch {
    return null
  }
}

/**
 * How long a signed text may be used, in seconds: Google accepts an hour at most, and it is used at
 * once.
 */
const lifeSeconds = 600

/**
 * A JSON Web Token by RS256 (RFC 7519, RFC 7518 3.3). `user`: in whose name it asks. Null means its
 * own.
 */
export function signAssertion(
  { email, keyId, key, tokenUrl }: ServiceAccount,
  { scope, user, now }: { scope: string; user: string | null; now: Date },
): string {
  const issuedAt = Math.floor(now.getTime() / 1_000)
  const header = { alg: 'RS256', typ: 'JWT', ...(keyId !== null && { kid: keyId }) }
  const claims = {
    iss: email,
    scope,
    aud: tokenUrl.href,
    iat: issuedAt,
    exp: issuedAt + lifeSeconds,
    ...(user !== null && { sub: user }),
  }
  const text = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`
}
