/** A workspace's own provider as stored: public settings as JSON, its secret sealed for that workspace alone. */
import type { FormerProvider, WorkspaceProviderRow } from '../db/workspaces/workspace-providers.ts'
import type { Secrets } from '../secrets.ts'
import { jsonFields, textOf } from './amazon-ses/read-json.ts'
import { readSesSettings } from './amazon-ses/ses-settings.ts'
import type { SesSettings, SesTexts } from './amazon-ses/ses-settings.ts'
import type { ProviderChoice } from './open-provider.ts'
import { parseSmtpUrl } from './smtp-relay.ts'

/** As it is stored and shown: nothing of it is secret. */
export type StoredChoice = { ratePerSecond: number | null } & (
  | { type: 'local-capture' | 'direct-mx' }
  /** `url` has the user and never the password. */
  | { type: 'smtp-relay'; url: string }
  | ({ type: 'amazon-ses' } & Omit<SesTexts, 'secretAccessKey'>)
)

/** Connections to a workspace's own relay, for each process. */
const ownConnections = 5

export const purposeOf = (workspaceId: number): string => `provider of workspace ${workspaceId}`

/**
 * Reads and checks it. `nameOf` is a setting's name in its source.
 * @throws Error with one line that names the problem, and never contains a secret.
 */
export function readProviderChoice(
  stored: StoredChoice,
  secret: string | null,
  nameOf: (setting: keyof SesTexts | 'url') => string,
): ProviderChoice {
  switch (stored.type) {
    case 'local-capture':
    case 'direct-mx':
      return { type: stored.type }
    case 'smtp-relay':
      return { type: stored.type, connections: ownConnections, relay: readRelay(stored.url, secret, nameOf('url')) }
    case 'amazon-ses':
      return { type: stored.type, settings: readSesSettings({ ...stored, secretAccessKey: secret }, nameOf) }
    default:
      return stored satisfies never
  }
}

function readRelay(url: string, password: string | null, name: string) {
  const whole = URL.parse(url)
  if (whole && password !== null) whole.password = encodeURIComponent(password)
  try {
    return parseSmtpUrl(whole?.href ?? url)
  } catch (error) {
    throw new Error((error as Error).message.replace('FACTEUR_SMTP_URL', name).replace('user:password@', 'user@'), {
      cause: error,
    })
  }
}

/** Null: the workspace has none of its own any more. @throws Error when it cannot be read, for whatever reason. */
export function openChoice(
  secrets: Pick<Secrets, 'open'>,
  row: WorkspaceProviderRow,
): { choice: ProviderChoice; ratePerSecond: number | null } | null {
  if (row.choice === null) return null
  const stored = readStored(row.choice)
  const secret = row.secret && secrets.open(row.secret, purposeOf(row.workspaceId))
  return { choice: readProviderChoice(stored, secret, (setting) => setting), ratePerSecond: stored.ratePerSecond }
}

/** Where notices of mail that left by an account before are heard. @throws Error when it cannot be read, for whatever reason. */
export function openFormer(
  secrets: Pick<Secrets, 'open'>,
  workspaceId: number,
  { choice, secret }: Pick<FormerProvider, 'choice' | 'secret'>,
): SesSettings | null {
  const stored = readStored(choice)
  if (stored.type !== 'amazon-ses') return null
  // Without a queue nothing is asked for with a key, and none was kept.
  const secretAccessKey = secret === null ? '' : secrets.open(secret, purposeOf(workspaceId))
  return readSesSettings({ ...stored, secretAccessKey }, (setting) => setting)
}

/** The choice as `provider set` stored it, by this version or another. */
export function readStored(json: unknown): StoredChoice {
  const fields = jsonFields(json)
  const text = (name: string): string | null => textOf(fields[name])
  const ratePerSecond = typeof fields.ratePerSecond === 'number' ? fields.ratePerSecond : null
  switch (fields.type) {
    case 'local-capture':
    case 'direct-mx':
      return { type: fields.type, ratePerSecond }
    case 'smtp-relay':
      return { type: fields.type, ratePerSecond, url: text('url') ?? '' }
    case 'amazon-ses':
      return {
        ...{ type: fields.type, ratePerSecond, region: text('region'), accessKeyId: text('accessKeyId') },
        ...{ endpoint: text('endpoint'), configurationSet: text('configurationSet') },
        ...{ topicArns: text('topicArns'), queueUrl: text('queueUrl') },
      }
    default:
      throw new Error(`This version knows no provider "${String(fields.type)}"`)
  }
}
