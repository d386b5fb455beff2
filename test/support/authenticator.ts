/**
 * A passkey without a browser: the key pair of one user's device, and its answers (Web
 * Authentication Level 3, 6.1 and 6.5).
 */
import { generateKeyPairSync, hash, randomBytes, sign } from 'node:crypto'

/** Fields that are sent or signed wrongly; an absent one is right. */
export interface Lies {
  challenge?: string
  origin?: string
  host?: string
  /** False if the device did not look who holds it. */
  isVerified?: boolean
  /** By which the device counts what it signed; 0: it does not count. */
  counter?: number
}

export interface Authenticator {
  id: string
  /** RegistrationResponseJSON. */
  register(challenge: string, lies?: Lies): object
  /** AuthenticationResponseJSON. */
  answer(challenge: string, lies?: Lies): object
}

/** `origin`: of the page that it is used on, by a name of a host. */
export function makeAuthenticator(origin: string): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(16)
  const common = {
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key',
    clientExtensionResults: {},
  }
  const clientData = (type: string, lies: Lies & { challenge: string }): Buffer =>
    Buffer.from(
      JSON.stringify({
        type,
        challenge: lies.challenge,
        origin: lies.origin ?? origin,
        crossOrigin: false,
      }),
    )
  const authData = (
    { host = new URL(origin).hostname, isVerified = true, counter = 0 }: Lies,
    attested?: Buffer,
  ): Buffer => {
    const flags = 0x01 | (isVerified ? 0x04 : 0) | (attested ? 0x40 : 0)
    const head = Buffer.alloc(5)
    head.writeUInt8(flags)
    head.writeUInt32BE(counter, 1)
    return Buffer.concat([hash('sha256', host, 'buffer'), head, attested ?? Buffer.alloc(0)])
  }
  return {
    id: common.id,
    register(challenge, lies = {}) {
      const data = authData(
        lies,
        Buffer.concat([
          Buffer.alloc(16),
          Buffer.from([0, id.length]),
          id,
          coseKey(publicKey.export({ format: 'jwk' })),
        ]),
      )
      // CBOR (RFC 8949) of { fmt: 'none', attStmt: {}, authData }.
      const head = Buffer.concat([
        Buffer.from([0xa3, 0x63]),
        Buffer.from('fmt'),
        Buffer.from([0x64]),
        Buffer.from('none'),
      ])
      const statement = Buffer.concat([
        Buffer.from([0x67]),
        Buffer.from('attStmt'),
        Buffer.from([0xa0, 0x68]),
        Buffer.from('authData'),
      ])
      const object = Buffer.concat([head, statement, Buffer.from([0x58, data.length]), data])
      const clientDataJSON = clientData('webauthn.create', { challenge, ...lies }).toString(
        'base64url',
      )
      return {
        ...common,
        response: { clientDataJSON, attestationObject: object.toString('base64url') },
      }
    },
    answer(challenge, lies = {}) {
      const client = clientData('webauthn.get', { challenge, ...lies })
      const data = authData(lies)
      const signature = sign(
        'sha256',
        Buffer.concat([data, hash('sha256', client, 'buffer')]),
        privateKey,
      )
      const [clientDataJSON, authenticatorData] = [
        client.toString('base64url'),
        data.toString('base64url'),
      ]
      return {
        ...common,
        response: { clientDataJSON, authenticatorData, signature: signature.toString('base64url') },
      }
    },
  }
}

/**
 * ES256 on P-256 as a COSE key (RFC 9052 7; RFC 9053 7.1.1): { 1: 2, 3: -7, -1: 1, -2: x, -3: y }.
 */
function coseKey({ x = '', y = '' }: { x?: string; y?: string }): Buffer {
  const octets = (text: string): Buffer =>
    Buffer.concat([Buffer.from([0x58, 32]), Buffer.from(text, 'base64url')])
  const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21])
  return Buffer.concat([head, octets(x), Buffer.from([0x22]), octets(y)])
}
