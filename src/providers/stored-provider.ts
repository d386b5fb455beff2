/**
 * A workspace's own provider as stored: public settings as JSON, its secret sealed for that
 * workspace alone.
 */
import type { ProviderName } from '../ground/provider-names.ts'
import type { FormerProvider, WorkspaceProviderRow } from '../db/workspaces/workspace-providers.ts'
import type { Secrets } from '../ground/secrets.ts'
import { jsonFields, textOf } from '../ground/read-json.ts'
import type { ProviderChoice, SettingTexts } from './provider-kind.ts'
import type { FeedbackAccount } from './provider-parts.ts'
import { isProviderName, providerKinds } from './registry.ts'

/** This form holds no secret: a setting with a login has the user and never the password. */
export interface StoredProvider {
  type: ProviderName
  ratePerSecond: number | null
  settings: SettingTexts
}

export const purposeOf = (workspaceId: number): string => `provider of workspace ${workspaceId}`

/**
 * Null if the workspace has none of its own any more. @throws Error when it cannot be read, for
 * whatever reason.
 */
export function openStored(
  secrets: Pick<Secrets, 'open'>,
  row: WorkspaceProviderRow,
): { choice: ProviderChoice; ratePerSecond: number | null } | null {
  if (row.choice === null) return null
  const { type, settings, ratePerSecond } = readStored(row.choice)
  const secret = row.secret && secrets.open(row.secret, purposeOf(row.workspaceId))
  return { choice: providerKinds[type].read(settings, secret, (setting) => setting), ratePerSecond }
}

/**
 * The former account, whose notices are still accepted. @throws Error when it cannot be read, for
 * whatever reason.
 */
export function openFormer(
  secrets: Pick<Secrets, 'open'>,
  workspaceId: number,
  { choice, secret }: Pick<FormerProvider, 'choice' | 'secret'>,
): FeedbackAccount | null {
  const { type, settings } = readStored(choice)
  const { feedback } = providerKinds[type]
  return (
    feedback?.readFormer(settings, secret && secrets.open(secret, purposeOf(workspaceId))) ?? null
  )
}

/**
 * The choice as `provider set` stored it, by this version or another: the settings stand beside
 * type and rate.
 */
export function readStored(json: unknown): StoredProvider {
  const fields = jsonFields(json)
  if (!isProviderName(fields.type))
    throw new Error(`This version knows no provider "${String(fields.type)}"`)
  const settings = providerKinds[fields.type].settings.map(({ name }) => [
    name,
    textOf(fields[name]),
  ])
  return {
    type: fields.type,
    ratePerSecond: typeof fields.ratePerSecond === 'number' ? fields.ratePerSecond : null,
    settings: Object.fromEntries(settings),
  }
}

export const toStoredJson = ({ type, ratePerSecond, settings }: StoredProvider): object => ({
  type,
  ratePerSecond,
  ...settings,
})
