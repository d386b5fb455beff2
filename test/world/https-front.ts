/**
 * A reverse proxy with TLS in front of our service, as an operator has one: links in mails are
 * https and answer.
 */
import { request } from 'node:http'
import { createServer } from 'node:https'
import { createSecureContext, getCACertificates, setDefaultCACertificates } from 'node:tls'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeCertificate } from '../support/make-certificate.ts'
import { makeFolder } from './servers.ts'

export interface HttpsFront {
  /**
   * The certificates, for `NODE_EXTRA_CA_CERTS` of the service; this process trusts them already.
   */
  authorities: string
}

/** Answers port 443 of `host` under each of the names. */
export async function startHttpsFront(
  scope: { after(end: () => void): void },
  {
    host,
    names,
    service,
  }: { host: string; names: string[]; service: { host: string; port: number } },
): Promise<HttpsFront> {
  const created = names.map((name) => ({ name, ...makeCertificate({ commonName: name }) }))
  const authorities = join(makeFolder('https-front'), 'authorities.pem')
  writeFileSync(authorities, created.map(({ pem }) => pem).join(''))
  setDefaultCACertificates([...getCACertificates('default'), ...created.map(({ pem }) => pem)])
  const server = createServer((requested, answer) => {
    const { method, url, headers } = requested
    const onward = request({ ...service, method, path: url, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers)
      answered.pipe(answer)
    })
    onward.on('error', () => answer.destroy())
    requested.pipe(onward)
  })
  for (const { name, pem, privateKey } of created)
    server.addContext(
      name,
      createSecureContext({ cert: pem, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) }),
    )
  await new Promise<void>((resolve) => server.listen(443, host, resolve))
  scope.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { authorities }
}
