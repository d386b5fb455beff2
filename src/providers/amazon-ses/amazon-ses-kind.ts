/**
 * Describes Amazon SES to the registry: an account with its access key, and where its notices come.
 */
import type { Config } from '../../ground/config.ts'
import type {
  ProviderChoice,
  ProviderKind,
  ProviderSetting,
  SettingTexts,
} from '../provider-kind.ts'
import { createAmazonSes } from './amazon-ses.ts'
import { createAttemptTags, attemptTagPurpose } from './attempt-tag.ts'
import { checkNotices } from './check-notices.ts'
import { checkSes } from './check-ses.ts'
import { readSesSettings, type SesSettings, type SesTexts } from './ses-settings.ts'

const setting = (
  name: keyof SesTexts,
  variable: string,
  flag: string,
  [value, text]: [string, string],
): ProviderSetting => ({
  ...{ name, variable, flag, value, text },
})

const settings = [
  setting('region', 'FACTEUR_SES_REGION', 'region', ['REGION', 'the region.']),
  setting('accessKeyId', 'FACTEUR_SES_ACCESS_KEY_ID', 'access-key-id', [
    'ID',
    'the identifier of the access key.',
  ]),
  setting('endpoint', 'FACTEUR_SES_ENDPOINT', 'endpoint', [
    'URL',
    'in place of the public endpoint of the region.',
  ]),
  setting('configurationSet', 'FACTEUR_SES_CONFIGURATION_SET', 'configuration-set', [
    'NAME',
    'the configuration set whose event destination sends the feedback.',
  ]),
  setting('topicArns', 'FACTEUR_SES_TOPIC_ARN', 'topic-arn', [
    'ARN',
    'the topic whose notices are accepted; several are divided by commas.',
  ]),
  setting('queueUrl', 'FACTEUR_SES_QUEUE_URL', 'queue-url', [
    'URL',
    'the queue that notices are read from.',
  ]),
]

const secret = { name: 'secretAccessKey', variable: 'FACTEUR_SES_SECRET_ACCESS_KEY' } as const
const sessionToken = { name: 'sessionToken', variable: 'FACTEUR_SES_SESSION_TOKEN' } as const

export const amazonSesKind: ProviderKind = {
  settings,
  secret,
  example: '--region eu-west-1 --access-key-id AKIAIOSFODNN7EXAMPLE --secret-file -',
  read: (texts, secretAccessKey, nameOf) =>
    amazonSesChoice(readSesSettings(textsOf(texts, secretAccessKey), nameOf)),
  readDeployment: (config) => amazonSesChoice(readConfigured(config)),
  describe: ({ region, accessKeyId }) => `Amazon SES in ${region} with the key ${accessKeyId}`,
  spfTerms: () => ['include:amazonses.com'],
  bounceHost: ({ ses }) =>
    ses.region === null ? null : `feedback-smtp.${ses.region}.amazonses.com`,
  feedback: {
    placeOf: ({ topicArns = null, queueUrl = null }) =>
      topicArns === null && queueUrl === null ? null : JSON.stringify([topicArns, queueUrl]),
    // Without a queue the feedback needs no key, so none was stored.
    readFormer: (texts, secretAccessKey) =>
      readSesSettings(textsOf(texts, secretAccessKey ?? ''), (name) => name),
    readFormerDeployment: (config) =>
      config.ses.topicArns === null && config.ses.queueUrl === null ? null : readConfigured(config),
  },
}

export const amazonSesChoice = (account: SesSettings): ProviderChoice => ({
  type: 'amazon-ses',
  open: ({ clock, outbound, secrets }) =>
    createAmazonSes({
      clock,
      outbound,
      settings: account,
      tags: createAttemptTags(secrets.derive(attemptTagPurpose)),
    }),
  check: (parts) => checkSes(account, parts),
  feedback: { account, check: (parts) => checkNotices(account, parts) },
  relay: null,
})

const variables = new Map<string, string>(
  [...settings, secret, sessionToken].map(({ name, variable }) => [name, variable]),
)

const readConfigured = ({ ses }: Config): SesSettings =>
  readSesSettings(ses, (name) => variables.get(name) ?? name)

/**
 * The secret of a temporary key is two words: the secret access key, and the session token. Neither
 * has white space.
 */
function textsOf(texts: SettingTexts, secretOfKey: string | null): SesTexts {
  const text = (name: string): string | null => texts[name] ?? null
  const [secretAccessKey = null, token = null] = secretOfKey?.split(/\s+/) ?? []
  return {
    ...{ region: text('region'), accessKeyId: text('accessKeyId'), endpoint: text('endpoint') },
    ...{ secretAccessKey, sessionToken: token },
    ...{
      configurationSet: text('configurationSet'),
      topicArns: text('topicArns'),
      queueUrl: text('queueUrl'),
    },
  }
}
