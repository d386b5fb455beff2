/** Certificates of the submission ports: used from the next handshake on, and checked by doctor. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { checkCertificate } from '../../src/entrypoints/cli/doctor/check-ports.ts'
import { serveSubmission } from '../../src/entrypoints/submission/serve-submission.ts'
import { readCertificate, stampOfFiles, watchCertificate } from '../../src/main/read-certificate.ts'
import { submissionCertificate as names } from '../../src/main/open-submission.ts'
import { openIntake } from '../../src/core/intake.ts'
import type { Service } from '../../src/core/context.ts'
import { systemClock } from '../../src/ground/clock.ts'
import { makeCertificate } from '../support/make-certificate.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

const folder = makeTemporaryFolder('certificates')
const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') }
const pairOf = (commonName: string, to?: Date) => {
  const { pem, privateKey } = makeCertificate({ commonName, type: 'ec', ...(to && { to }) })
  return { cert: pem, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}
const write = ({ cert, key }: { cert?: string; key?: string }): void => {
  if (cert !== undefined) writeFileSync(files.certFile, cert)
  if (key !== undefined) writeFileSync(files.keyFile, key)
}
const days = (count: number): Date => new Date(Date.now() + (count + 0.5) * 86_400_000)

test('a renewed certificate is used once both files belong together; until then the former one stays', async (t) => {
  write(pairOf('first.test'))
  const warnings: string[] = []
  const log = {
    ...console,
    info: () => undefined,
    warn: (_: object, text: string) => void warnings.push(text),
  }
  const served = await serveSubmission(
    { clock: systemClock, log, settings: { baseUrl: 'https://mail.test' } } as unknown as Service,
    {
      ...{ host: '127.0.0.1', name: 'mail.test', port: null, tlsPort: 0, intake: openIntake() },
      ...{ tls: readCertificate(files, names), ends: { inc: () => undefined } },
    },
  )
  const unwatch = watchCertificate(files, {
    log,
    renew: served.renew,
    names,
    read: stampOfFiles(files),
    everyMs: 5,
  })
  t.after(async () => {
    unwatch()
    await served.close(0)
  })
  const shown = async (): Promise<string> => {
    const socket = connect({
      port: served.tlsPort ?? 0,
      host: '127.0.0.1',
      rejectUnauthorized: false,
    })
    await once(socket, 'secureConnect')
    const { subject } = socket.getPeerCertificate()
    socket.destroy()
    return subject.CN
  }
  assert.equal(await shown(), 'first.test')
  const second = pairOf('second.test')
  write({ cert: second.cert })
  await until(() => warnings.length > 0)
  assert.equal(await shown(), 'first.test')
  write({ key: second.key })
  await until(shown, (name) => name === 'second.test')
  // Files that cannot be looked at stop nothing, and are said once.
  warnings.length = 0
  rmSync(files.certFile)
  symlinkSync(files.certFile, files.certFile)
  await until(() => warnings.length > 0)
  assert.equal(await shown(), 'second.test')
  rmSync(files.certFile)
  const third = pairOf('third.test')
  write(third)
  await until(shown, (name) => name === 'third.test')
})

test('doctor warns 14 days before a certificate ends', () => {
  const checked = (to: Date): string => {
    write(pairOf('mail.test', to))
    const { status, message } = checkCertificate(files.certFile, new Date())
    return `${status}: ${message.replaceAll(/\d{4}-\d\d-\d\d/g, 'DAY')}`
  }
  assert.equal(checked(days(14)), 'ok: valid until DAY')
  assert.equal(checked(days(13)), 'warning: it ends on DAY, in 13 days')
  assert.equal(checked(days(-2)), 'problem: it ended on DAY: clients refuse it')
  write({ cert: 'no PEM' })
  assert.equal(checkCertificate(files.certFile, new Date()).status, 'problem')
})
