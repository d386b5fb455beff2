/** Changes a workspace's settings, for the pages and the command line. */
import { parseMailbox } from '../../ground/address.ts'
import { settingLimits } from '../../contract/workspace/setting-limits.ts'
import type { InputOf } from '../../contract/operations.ts'
import { readAddressLines } from '../../contract/plain-text.ts'
import type { Database } from '../../database/client/database.ts'
import {
  hasTimeZone,
  lockWorkspaceSettings,
  setWorkspaceSettings,
  type WorkspaceSettings,
} from '../../db/workspaces/workspace-settings.ts'
import type { Context } from '../context.ts'
import { characterProblem, shapeError } from '../input/shape-error.ts'
import { recordAuditEntry, type Actor } from '../audit/record-audit-entry.ts'
import { mustBeLine } from '../input/validate-words.ts'

export type SettingsChange = InputOf<'updateSettings'>['body']

/** Absent values stay. Throws `validation_error`. */
export function changeSettings(
  ctx: Pick<Context, 'db'> & Actor,
  change: SettingsChange,
): Promise<WorkspaceSettings> {
  const { workspaceId } = ctx
  return ctx.db.transaction(async (tx) => {
    const before = await lockWorkspaceSettings(tx, workspaceId)
    const after: WorkspaceSettings = {
      ...before,
      name:
        change.name === undefined
          ? before.name
          : mustBeLine(change.name, { path: 'name', max: settingLimits.workspaceNameMax }),
      contact: change.contact === undefined ? before.contact : readContact(change.contact),
      postalAddress:
        change.postal_address === undefined
          ? before.postalAddress
          : readPostalAddress(change.postal_address),
      language: change.language === undefined ? before.language : change.language,
      timeZone:
        change.time_zone === undefined ? before.timeZone : await readTimeZone(tx, change.time_zone),
      trackOpens: change.track_opens ?? before.trackOpens,
      trackClicks: change.track_clicks ?? before.trackClicks,
      dataRequests: change.data_requests ?? before.dataRequests,
    }
    const changed = changedNames.filter((name) => after[name] !== before[name])
    if (changed.length === 0) return before
    await setWorkspaceSettings(tx, workspaceId, after)
    const details = Object.fromEntries(changed.map((name) => [name, after[name]]))
    await recordAuditEntry(tx, ctx, { act: 'settings.changed', subject: after.name, details })
    return after
  })
}

const changedNames = [
  'name',
  'contact',
  'postalAddress',
  'language',
  'timeZone',
  'trackOpens',
  'trackClicks',
  'dataRequests',
] as const

const isBlank = (text: string | null): text is null | '' => text === null || text.trim() === ''

/** Lower-cased, as addresses are compared. */
function readContact(text: string | null): string | null {
  if (isBlank(text)) return null
  const mailbox = parseMailbox(text.trim())
  if ('rule' in mailbox) throw shapeError([{ ...mailbox, path: 'contact' }])
  if (mailbox.name !== null) throw shapeError([{ path: 'contact', rule: 'address_alone' }])
  return mailbox.key
}

/** Both Node.js and PostgreSQL must know it: a page shows days, and statements compare them. */
async function readTimeZone(tx: Database, text: string | null): Promise<string | null> {
  if (isBlank(text)) return null
  const name = text.trim()
  if (isTimeZone(name) && (await hasTimeZone(tx, name))) return name
  throw shapeError([{ path: 'time_zone', rule: 'time_zone' }])
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== ''
  } catch {
    return false
  }
}

function readPostalAddress(text: string | null): string | null {
  if (isBlank(text)) return null
  const lines = readAddressLines(text)
  if (lines === null) throw shapeError([characterProblem(text, 'postal_address')])
  return lines
}
