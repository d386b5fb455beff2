/** Opens the SMTP ports that programs hand mail in by, where the settings leave them open. */
import { hostname } from 'node:os'
import type { Config, SettingName } from '../ground/config.ts'
import type { Service } from '../core/context.ts'
import type { Intake } from '../core/intake.ts'
import { submissionPorts } from '../core/submission-ports.ts'
import type { Metrics } from '../entrypoints/health/metrics.ts'
import type { ServedSubmission } from '../entrypoints/submission/serve-submission.ts'
import { OperatorError } from '../ground/operator-error.ts'
import { explainingPort } from './explaining-port.ts'
import { readCertificate, stampOfFiles, watchCertificate } from './read-certificate.ts'

export const submissionCertificate = {
  cert: 'FACTEUR_SUBMISSION_TLS_CERT',
  key: 'FACTEUR_SUBMISSION_TLS_KEY',
} as const

/** The settings of a start's explanations. */
export const submissionSettings: Record<'port' | 'tlsPort', SettingName> = {
  port: 'FACTEUR_SUBMISSION_PORT',
  tlsPort: 'FACTEUR_SUBMISSION_TLS_PORT',
}

/** Null if this process takes no mail by SMTP. */
export async function openSubmission(
  { service, metrics, intake }: { service: Service; metrics: Metrics; intake: Intake },
  config: Config,
): Promise<ServedSubmission | null> {
  const { host, port, tlsPort, isDefault } = submissionPorts(config)
  if (port === null && tlsPort === null) return null
  const files = config.submissionTls
  // Before they are read: what changes meanwhile is read again.
  const read = files ? stampOfFiles(files) : ''
  const { serveSubmission } = await import('../entrypoints/submission/serve-submission.ts')
  const open = (): Promise<ServedSubmission> =>
    serveSubmission(service, {
      ...{ host, port, tlsPort, intake },
      name: config.heloName ?? hostname(),
      tls: files && readCertificate(files, submissionCertificate),
      ends: metrics.submitted,
    })
  try {
    const served = await explainingPort(
      {
        ...{ host, port: port ?? tlsPort ?? 0, hostSetting: 'FACTEUR_SUBMISSION_HOST' },
        setting: submissionSettings[port === null ? 'tlsPort' : 'port'],
      },
      open,
    )
    if (files === null) return served
    const { log } = service
    const unwatch = watchCertificate(files, {
      ...{ log, renew: served.renew, names: submissionCertificate, read },
    })
    return {
      ...served,
      close(withinMs) {
        unwatch()
        return served.close(withinMs)
      },
    }
  } catch (error) {
    // Nobody asked for this port: another process of this machine may have it.
    if (!isDefault || !(error instanceof OperatorError)) throw error
    service.log.warn({ port }, `No mail is taken by SMTP. ${error.message}`)
    return null
  }
}
