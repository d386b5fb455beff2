/**
 * Certificates made as a test runs, by openssl: an authority, and what it or nobody signs for the
 * names that are asked for.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeTemporaryFolder } from './temporary-folder.ts'

export interface Certificate {
  key: string
  /** PEM; with the authority's own behind it where it signed. */
  cert: string
}

export interface Authority {
  cert: string
  /** Signed by it, for thirty days. */
  sign(names: string[]): Certificate
}

/** Signed by its own key. */
export function selfSigned(names: string[]): Certificate {
  const folder = makeTemporaryFolder('certificate')
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  openssl([
    ...newKey,
    '-x509',
    '-nodes',
    '-keyout',
    key,
    '-out',
    cert,
    ...lasting,
    '-subj',
    `/CN=${names[0]}`,
    '-addext',
    altNames(names),
  ])
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
}

export function makeAuthority(): Authority {
  const folder = makeTemporaryFolder('authority')
  const at = (name: string): string => join(folder, name)
  openssl([
    ...newKey,
    '-x509',
    '-nodes',
    '-keyout',
    at('ca.key'),
    '-out',
    at('ca.pem'),
    ...lasting,
    '-subj',
    '/CN=Test Authority',
  ])
  const cert = readFileSync(at('ca.pem'), 'utf8')
  let count = 0
  return {
    cert,
    sign(names) {
      const own = `leaf${++count}`
      openssl([
        ...newKey,
        '-nodes',
        '-keyout',
        at(`${own}.key`),
        '-out',
        at(`${own}.csr`),
        '-subj',
        `/CN=${names[0]}`,
      ])
      // No authority key identifier: a forger leaves it out too.
      writeFileSync(
        at(`${own}.ext`),
        `${altNames(names)}\nbasicConstraints=CA:FALSE\nauthorityKeyIdentifier=none\n`,
      )
      const signing = [
        '-CA',
        at('ca.pem'),
        '-CAkey',
        at('ca.key'),
        '-CAcreateserial',
        '-extfile',
        at(`${own}.ext`),
      ]
      openssl([
        'x509',
        '-req',
        '-in',
        at(`${own}.csr`),
        ...signing,
        '-out',
        at(`${own}.pem`),
        ...lasting,
      ])
      return {
        key: readFileSync(at(`${own}.key`), 'utf8'),
        cert: readFileSync(at(`${own}.pem`), 'utf8') + cert,
      }
    },
  }
}

const newKey = ['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256']

const altNames = (names: string[]): string =>
  `subjectAltName=${names.map((name) => `DNS:${name}`).join()}`

const lasting = ['-days', '30']

function openssl(args: string[]): void {
  execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] })
}
