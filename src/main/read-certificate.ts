/** Reads a certificate and its key from the files that settings name, and again when they change. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { statSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import type { SettingName, TlsFiles } from '../ground/config.ts'
import type { Certificate } from '../entrypoints/submission/submission-options.ts'
import type { Log } from '../ground/log.ts'
import { OperatorError } from '../ground/operator-error.ts'
import { readSecretFile } from '../ground/secret-file.ts'

/** The settings that name the two files. */
export interface CertificateSettings {
  cert: SettingName
  key: SettingName
}

/**
 * Throws `OperatorError` when a file cannot be read, is no PEM, or the key is not the
 * certificate's.
 */
export function readCertificate(
  { certFile, keyFile }: TlsFiles,
  names: CertificateSettings,
): Certificate {
  const cert = readSecretFile(names.cert, certFile)
  const key = readSecretFile(names.key, keyFile)
  tryPem(`${names.cert}: ${certFile} holds no certificate in PEM`, () => new X509Certificate(cert))
  tryPem(`${names.key}: ${keyFile} holds no private key in PEM, or one with a passphrase`, () =>
    createPrivateKey(key),
  )
  tryPem(`${names.key}: ${keyFile} is not the key of the certificate in ${certFile}`, () =>
    createSecureContext({ cert, key }),
  )
  return { cert, key }
}

function tryPem(otherwise: string, use: () => unknown): void {
  try {
    use()
  } catch {
    throw new OperatorError(otherwise)
  }
}

/** A renewed certificate is in use within this time. */
const checkMs = 10_000

/**
 * Calls `renew` when the files have changed and belong together; until then, what was read before
 * stays. Answers the end of the watch.
 */
export function watchCertificate(
  files: TlsFiles,
  {
    log,
    renew,
    names,
    read,
    everyMs = checkMs,
  }: {
    log: Log
    renew: (certificate: Certificate) => void
    names: CertificateSettings
    /** `stampOfFiles` before they were read. */
    read: string
    everyMs?: number
  },
): () => void {
  let used = read
  let refused = ''
  const timer = setInterval(() => {
    const stamp = stampOfFiles(files)
    if (stamp === used || stamp === refused) return
    try {
      renew(readCertificate(files, names))
      used = stamp
      log.info({ certificate: files.certFile }, 'A renewed certificate is in use')
    } catch (error) {
      // The other file may follow in a moment.
      refused = stamp
      log.warn({ err: error }, 'A changed certificate cannot be used; the one before stays in use')
    }
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** Through links, as programs that renew certificates set them. Never throws. */
export function stampOfFiles({ certFile, keyFile }: TlsFiles): string {
  return [certFile, keyFile]
    .map((file) => {
      try {
        const { ino, mtimeMs, size } = statSync(file)
        return `${ino} ${mtimeMs} ${size}`
      } catch (error) {
        return String(error)
      }
    })
    .join(' ')
}
