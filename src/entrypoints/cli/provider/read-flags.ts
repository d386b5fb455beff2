/** Reads the flags of `provider set` into a provider's settings. */
import { readProviderChoice } from '../../../providers/workspace-choice.ts'
import type { StoredChoice } from '../../../providers/workspace-choice.ts'
import type { ProviderChoice } from '../../../providers/open-provider.ts'
import { CommandRefusal } from '../refusal.ts'

export const providerTypes = ['smtp-relay', 'amazon-ses', 'direct-mx', 'local-capture'] as const

/** The flags by what they are stored as. */
export const flagOf = {
  url: '--url',
  region: '--region',
  accessKeyId: '--access-key-id',
  secretAccessKey: '--secret-env or --secret-file',
  endpoint: '--endpoint',
  configurationSet: '--configuration-set',
  topicArns: '--topic-arn',
  queueUrl: '--queue-url',
} as const

type Texts = Record<
  'url' | 'region' | 'access-key-id' | 'configuration-set' | 'topic-arn' | 'queue-url' | 'endpoint',
  string | null
>

interface SetFlags extends Texts {
  type: (typeof providerTypes)[number]
  rate: number | null
  'secret-env': string | null
  'secret-file': string | null
}

/** A flag of another kind of provider is refused: it would be ignored silently. */
export function toStored(flags: SetFlags): StoredChoice {
  const { type, rate: ratePerSecond } = flags
  const hasSecret = flags['secret-env'] !== null || flags['secret-file'] !== null
  const ofRelay = flags.url !== null
  const ofSes = (['region', 'access-key-id', 'configuration-set', 'topic-arn', 'queue-url', 'endpoint'] as const).find(
    (name) => flags[name] !== null,
  )
  if (type !== 'smtp-relay' && ofRelay) throw new CommandRefusal('usage', `--url is for smtp-relay, not for ${type}.`)
  if (type !== 'amazon-ses' && ofSes) throw new CommandRefusal('usage', `--${ofSes} is for amazon-ses, not for ${type}.`)
  if (hasSecret && (type === 'direct-mx' || type === 'local-capture')) throw new CommandRefusal('usage', `${type} has no secret.`)
  switch (type) {
    case 'smtp-relay':
      return { type, ratePerSecond, url: withoutPassword(flags.url) }
    case 'amazon-ses':
      return {
        ...{ type, ratePerSecond, region: flags.region, accessKeyId: flags['access-key-id'], endpoint: flags.endpoint },
        ...{ configurationSet: flags['configuration-set'], topicArns: flags['topic-arn'], queueUrl: flags['queue-url'] },
      }
    default:
      return { type, ratePerSecond }
  }
}

function withoutPassword(url: string | null): string {
  if (url === null) throw new CommandRefusal('usage', 'smtp-relay needs --url, such as smtp://user@relay.example:587.')
  if ((URL.parse(url)?.password ?? '') === '') return url
  throw new CommandRefusal(
    'usage',
    'Leave the password out of --url, where others can see it: give it by --secret-env or --secret-file.',
  )
}

/** The stored settings, opened. @throws Refusal that names the wrong flag. */
export function readStoredProvider(stored: StoredChoice, secret: string | null): ProviderChoice {
  try {
    return readProviderChoice(stored, secret, (setting) => flagOf[setting])
  } catch (error) {
    throw new CommandRefusal('usage', error instanceof Error ? error.message : String(error))
  }
}
