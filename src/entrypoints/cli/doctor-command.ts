/** `facteur doctor`: checks everything that the service depends on, and prints each problem with its remedy. */
import { defineCommand, type Surroundings } from './command.ts'
import { passed, failed, type Check } from './doctor/check.ts'
import { diagnoseBaseUrl } from './doctor/check-base-url.ts'
import { checkDatabase } from './doctor/check-database.ts'
import { checkDisk } from './doctor/check-disk.ts'
import { checkHealthPort, checkInboundPort, checkPort, checkSourceAddresses } from './doctor/check-ports.ts'
import { checkOwnFeedback, checkOwnProvider } from './doctor/check-deployment.ts'
import { checkDelivery } from './doctor/delivery/check-delivery.ts'
import { flag } from './parameters.ts'
import type { Result } from './result.ts'
import { readDomainFlag } from './values.ts'

export const doctorCommand = defineCommand({
  name: 'doctor',
  summary: 'Check settings, database, clock, disk, provider, ports and base URL; print each problem with its next step',
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
  run: async (surroundings, { delivery, peer }) =>
    report(await examine(surroundings, delivery ? (peer ?? 'gmail.com') : null), surroundings),
})

/** `peer`: also checks the path of mail, with this domain. */
async function examine(surroundings: Surroundings, peer: string | null): Promise<Check[]> {
  const { config, problems, refused } = await surroundings.surveySettings()
  // Defaults replace unreadable settings: checks of them would mislead.
  if (problems.length > 0)
    return [...problems, ...refused].map((line) =>
      failed('settings', line, 'Mend it, then run facteur doctor again for the rest.'),
    )
  const [database, provider, port, healthPort, inboundPort, sources] = await Promise.all([
    checkDatabase(surroundings, config),
    checkOwnProvider(surroundings, config),
    checkPort(config),
    checkHealthPort(config),
    checkInboundPort(config),
    checkSourceAddresses(config),
  ])
  const data = config.databaseUrl === null ? `data in ${config.dataFolder}` : 'data in DATABASE_URL'
  return [
    ...settingsLines(
      data,
      refused.filter((line) => line !== provider.message),
    ),
    ...database,
    checkDisk(config),
    provider,
    ...(await checkOwnFeedback(surroundings, config, database)),
    port.check,
    ...(healthPort ? [healthPort] : []),
    ...(inboundPort ? [inboundPort] : []),
    ...sources,
    await diagnoseBaseUrl(config, port.running),
    ...(peer === null ? [] : await checkDelivery(surroundings, config, peer)),
  ]
}

const settingsLines = (data: string, refused: string[]): Check[] =>
  refused.length === 0
    ? [passed('settings', `understood; ${data}`)]
    : refused.map((line) => failed('settings', line, 'Mend it: the service does not start so.'))

function report(checks: Check[], { spell }: Surroundings): Result {
  const problems = checks.filter(({ status }) => status === 'problem').length
  const warnings = checks.filter(({ status }) => status === 'warning').length
  const width = Math.max(...checks.map(({ name }) => name.length))
  const lines = checks.map(({ name, status, message, next }) => {
    const line = `${status.padEnd(7)}  ${name.padEnd(width)}  ${message}`
    return next === null ? line : `${line}\n${' '.repeat(11 + width)}→ ${next}`
  })
  // The printer spells the text.
  const spelled = checks.map((check) => ({ ...check, next: check.next && spell(check.next) }))
  const verdict =
    problems > 0
      ? `${count(problems, 'problem')} to mend.`
      : warnings > 0
        ? `${count(warnings, 'warning')}; nothing is wrong.`
        : 'All is well.'
  return {
    kind: 'shown',
    json: { status: problems > 0 ? 'problem' : warnings > 0 ? 'warning' : 'ok', checks: spelled },
    text: `${lines.join('\n')}\n\n${verdict}`,
    ...(problems > 0 && { exitCode: 1 }),
  }
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`
