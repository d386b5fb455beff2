/** A self-signed X.509 certificate (RFC 5280) made at test time: any name, any dates, any key. */
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto'

export interface MadeCertificate {
  pem: string
  privateKey: KeyObject
}

export interface CertificateOptions {
  commonName?: string
  from?: Date
  to?: Date
  type?: 'rsa' | 'ec'
}

const yearMs = 365 * 86_400_000

export function makeCertificate(options: CertificateOptions = {}): MadeCertificate {
  const { commonName = 'sns.amazonaws.com', type = 'rsa' } = options
  const { from = new Date(Date.now() - yearMs), to = new Date(Date.now() + yearMs) } = options
  const { publicKey, privateKey } =
    type === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = type === 'rsa' ? sequence(rsaWithSha256, der(0x05)) : sequence(ecdsaWithSha256)
  const name = sequence(der(0x31, sequence(commonNameId, der(0x0c, Buffer.from(commonName)))))
  const body = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1)),
    ...[algorithm, name, sequence(time(from), time(to)), name],
    publicKey.export({ type: 'spki', format: 'der' }),
  )
  const signature = der(0x03, Buffer.concat([Buffer.of(0), sign('sha256', body, privateKey)]))
  const text = sequence(body, algorithm, signature).toString('base64')
  const lines = text.replaceAll(/.{64}(?=.)/g, '$&\n')
  return { privateKey, pem: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n` }
}

const rsaWithSha256 = der(0x06, Buffer.from('2a864886f70d01010b', 'hex'))
const ecdsaWithSha256 = der(0x06, Buffer.from('2a8648ce3d040302', 'hex'))
const commonNameId = der(0x06, Buffer.from('550403', 'hex'))

/** GeneralizedTime. */
const time = (at: Date): Buffer =>
  der(0x18, Buffer.from(at.toISOString().replaceAll(/[-:T]|\.\d{3}/g, '')))

const sequence = (...parts: Buffer[]): Buffer => der(0x30, Buffer.concat(parts))

/** X.690 8.1: tag, length, content. */
function der(tag: number, content: Buffer = Buffer.alloc(0)): Buffer {
  const { length } = content
  if (length < 128) return Buffer.concat([Buffer.of(tag, length), content])
  const octets = Buffer.from(length.toString(16).padStart(length > 255 ? 4 : 2, '0'), 'hex')
  return Buffer.concat([Buffer.of(tag, 128 + octets.length), octets, content])
}
