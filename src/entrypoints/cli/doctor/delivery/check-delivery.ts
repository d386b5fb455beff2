/**
 * `doctor --delivery`: checks the whole path of a mail out and of its bounce back, each step by
 * itself.
 */
import { createVerpTokens } from '../../../../mail/reports/verp.ts'
import { messageOf, failed, withCheckedDatabase, type Check, type DoctorParts } from '../check.ts'
import { checkBounce } from './check-bounce.ts'
import { checkDomainRecords } from './check-domain-records.ts'
import { checkEnrolments } from './check-enrolments.ts'
import { checkPortIn, checkPortOut } from './check-mail-ports.ts'
import { checkOutsideClock } from './check-outside-clock.ts'
import { checkReports } from './check-reports.ts'
import { checkReverseNames } from './check-reverse-names.ts'

/**
 * Sends one mail: to ourselves. Dials the mail host of `peer`, a domain that receives mail, and
 * says nothing to it; compares our clock with its web server's.
 */
export async function checkDelivery(doctor: DoctorParts, peer: string): Promise<Check[]> {
  const { surroundings, config } = doctor
  const parts = { ...doctor, peer, resolver: surroundings.openResolver(config) }
  const [out, reverse, within, clock] = await Promise.all([
    checkPortOut(parts),
    checkReverseNames(parts),
    checkPortIn(parts),
    checkOutsideClock(parts),
  ])
  const ours = await withCheckedDatabase(parts, async (db, eachCell) => [
    ...(await checkDomainRecords(parts, db, eachCell)),
    ...(await checkEnrolments(parts, db, eachCell)),
    ...(await checkReports(parts, db)),
    await checkBounce(parts, {
      db,
      verp: createVerpTokens((await surroundings.openSecrets(config, db)).derive('return path')),
      reachable: within.status === 'ok',
    }),
  ]).catch((error: unknown) => [failed('domains', messageOf(error), 'Mend the database first.')])
  return [...ours.slice(0, -1), out, ...reverse, within, ...ours.slice(-1), clock]
}
