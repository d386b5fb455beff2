/**
 * Lists the programmes by which receivers report on mail, with the values to enter, and says which
 * of them have reported.
 */
import { enrolmentsOf } from '../../../../core/compliance/enrolments.ts'
import { eachWorkspace } from '../../../../core/each-workspace.ts'
import type { Connection } from '../../../../database/client/connect.ts'
import { domainsOf } from '../../../../db/domains/domains.ts'
import { describeEnrolment, programNames } from '../../domain/print-compliance.ts'
import { passed, type Check, type EachCell } from '../check.ts'
import type { DeliveryParts } from './dial-host.ts'

/** Domains that are listed at most; "domain compliance" shows those of one. */
const domainsMax = 50

/**
 * Nothing of it is a problem: whether somebody has enrolled is not visible from here, and without
 * complaints no report comes.
 */
export async function checkEnrolments(
  { surroundings, config }: DeliveryParts,
  db: Connection,
  eachCell: EachCell,
): Promise<Check[]> {
  const settings = await surroundings.settingsOf(config, db)
  const checks = new Map<string, Check>()
  let domains = 0
  await eachCell(async (there, cell) => {
    for await (const workspaces of eachWorkspace({ db: there, databaseId: cell.id })) {
      for (const { id } of workspaces) {
        for (const { name, status } of await domainsOf(there, id)) {
          if (status !== 'verified' || domains++ >= domainsMax) continue
          for (const enrolment of await enrolmentsOf(
            { db: there, settings },
            { workspaceId: id, domain: name },
          )) {
            if (!enrolment.applies) continue
            // Microsoft knows senders by their addresses, which all domains share.
            const isShared = enrolment.values.every(({ field }) => field !== 'domain')
            const title = `${programNames[enrolment.program]}${isShared ? '' : ` for ${name}`}`
            if (!checks.has(title) || enrolment.first_report_at !== null)
              checks.set(title, passed(title, describeEnrolment(enrolment)))
          }
        }
      }
    }
  })
  return [...checks.values()]
}
