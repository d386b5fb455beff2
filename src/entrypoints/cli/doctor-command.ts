/**
 * `facteur doctor`: checks everything that the service depends on, and prints each problem with its
 * remedy.
 */
import type { Config } from '../../ground/config.ts'
import { defineCommand, type Surroundings } from './command.ts'
import { passed, failed, type Check, type DoctorParts } from './doctor/check.ts'
import { diagnoseBaseUrl } from './doctor/check-base-url.ts'
import { checkOperatorPages } from './doctor/check-operator-pages.ts'
import { checkDatabase } from './doctor/check-database.ts'
import { checkDisk } from './doctor/check-disk.ts'
import { checkOlderData } from './doctor/check-older-data.ts'
import {
  checkHealthPort,
  checkInboundPort,
  checkPort,
  checkSourceAddresses,
  checkSubmissionPorts,
} from './doctor/check-ports.ts'
import { checkPostgresUser } from './doctor/check-postgres-user.ts'
import { checkOwnFeedback, checkOwnProvider } from './doctor/check-deployment.ts'
import { checkDelivery } from './doctor/delivery/check-delivery.ts'
import { flag } from './parameters.ts'
import { reportFindings } from './report-findings.ts'
import { readDomainFlag } from './values.ts'

export const doctorCommand = defineCommand({
  name: 'doctor',
  summary:
    'Check settings, database, clock, disk, provider, ports and base URL; print each problem with its next step',
  note: 'Changes nothing, and sends nothing without --delivery; with it, one bounce to itself. Exit code 1 when something is wrong; warnings alone are 0.',
  flags: {
    delivery: {
      text: 'Also checks the path of mail: DNS of each domain, mail hosts out and in, a bounce to itself and back, the clock outside.',
    },
    peer: flag(
      'DOMAIN',
      'With --delivery: whose mail host is dialled, and whose web server’s clock is read. Default: gmail.com.',
      readDomainFlag,
    ),
  },
  examples: ['doctor', 'doctor --json', 'doctor --delivery'],
  run: async (surroundings, { delivery, peer }) => {
    const checks = await examine(surroundings, delivery ? (peer ?? 'gmail.com') : null)
    // The printer spells the text.
    const spelled = checks.map((check) => ({
      ...check,
      next: check.next && surroundings.spell(check.next),
    }))
    return reportFindings(checks, {
      afterWarnings: '; nothing is wrong',
      json: (status) => ({ status, checks: spelled }),
    })
  },
})

/** `peer`: also checks the path of mail, with this domain. */
async function examine(surroundings: Surroundings, peer: string | null): Promise<Check[]> {
  const { config, problems, refused } = await surroundings.surveySettings()
  // Defaults replace unreadable settings: checks of them would mislead.
  if (problems.length > 0)
    return [...problems, ...refused].map((line) =>
      failed('settings', line, 'Mend it, then run facteur doctor again for the rest.'),
    )
  const outbound = surroundings.openOutbound(config)
  try {
    return await checkAll({ surroundings, config, outbound }, { refused, peer })
  } finally {
    await outbound.close()
  }
}

async function checkAll(
  parts: DoctorParts,
  { refused, peer }: { refused: string[]; peer: string | null },
): Promise<Check[]> {
  const { config } = parts
  const [database, provider, port, healthPort, inboundPort, submission, sources] =
    await Promise.all([
      checkDatabase(parts),
      checkOwnProvider(parts),
      checkPort(config),
      checkHealthPort(config),
      checkInboundPort(config),
      checkSubmissionPorts(config),
      checkSourceAddresses(config),
    ])
  return [
    ...checkSettings(
      config,
      refused.filter((line) => line !== provider.message),
    ),
    ...database,
    checkDisk(config),
    ...checkOlderData(config),
    ...[checkPostgresUser(config) ?? []].flat(),
    provider,
    ...(await checkOwnFeedback(parts, database)),
    port.check,
    ...(healthPort ? [healthPort] : []),
    ...(inboundPort ? [inboundPort] : []),
    ...submission,
    ...sources,
    await diagnoseBaseUrl(config, port.running),
    ...[checkOperatorPages(config) ?? []].flat(),
    ...(peer === null ? [] : await checkDelivery(parts, peer)),
  ]
}

const checkSettings = ({ databaseUrl, dataFolder }: Config, refused: string[]): Check[] =>
  refused.length === 0
    ? [
        passed(
          'settings',
          `understood; data in ${databaseUrl === null ? dataFolder : 'DATABASE_URL'}`,
        ),
      ]
    : refused.map((line) => failed('settings', line, 'Mend it: the service does not start so.'))
