/**
 * The settings of an Amazon SES account and of its feedback: the deployment's, or a workspace's
 * own.
 */
import { isLoopback } from '../../ground/is-loopback.ts'
import type { AwsAccount } from './call-aws.ts'

export interface SesSettings extends AwsAccount {
  /**
   * In place of the region's public endpoint, such as that of a private network. Null means the
   * public one.
   */
  endpoint: string | null
  /**
   * The configuration set whose event destinations send notices. Null means the identity's own, if
   * any.
   */
  configurationSet: string | null
  /** Topics of Amazon SNS whose notices are accepted. */
  topicArns: readonly string[]
  /** The queue of Amazon SQS to poll for notices. Null if there is none. */
  queueUrl: string | null
}

/** Names of regions; they become part of a host's name. */
export const regionShape = /^[a-z]{2}(?:-[a-z]{2,10}){1,3}-\d{1,2}$/

const topicShape = /^arn:(aws|aws-cn|aws-us-gov):sns:([a-z0-9-]+):\d{12}:[\w-]{1,256}(?:\.fifo)?$/

/** The hosts of a partition end alike. */
const suffixOf = (region: string): string =>
  region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'

export const sesEndpoint = ({
  endpoint,
  region,
}: Pick<SesSettings, 'endpoint' | 'region'>): string =>
  endpoint ?? `https://email.${region}.${suffixOf(region)}`

/** The host that signs and confirms for a topic; null when it is no topic's name. */
export function snsHostOf(topicArn: string): string | null {
  const [, , region] = topicShape.exec(topicArn) ?? []
  return region !== undefined && regionShape.test(region)
    ? `sns.${region}.${suffixOf(region)}`
    : null
}

/** Whether feedback on mail will come, so that silence means nothing. */
export const reportsFeedback = ({
  topicArns,
  queueUrl,
}: Pick<SesSettings, 'topicArns' | 'queueUrl'>): boolean =>
  topicArns.length > 0 || queueUrl !== null

/** The same settings as an operator writes them; several topics are divided by commas. */
export type SesTexts = Record<
  | 'region'
  | 'accessKeyId'
  | 'secretAccessKey'
  | 'sessionToken'
  | 'endpoint'
  | 'configurationSet'
  | 'topicArns'
  | 'queueUrl',
  string | null
>

/**
 * Reads an operator's texts; `nameOf` is a text's name in its source.
 * @throws Error with one line that names the problem, and never contains a secret.
 */
export function readSesSettings(
  texts: SesTexts,
  nameOf: (text: keyof SesTexts) => string,
): SesSettings {
  const needed = (text: 'region' | 'accessKeyId' | 'secretAccessKey'): string => {
    const value = texts[text]
    if (value === null) throw new Error(`${nameOf(text)}: Amazon SES needs it`)
    return value
  }
  const wrong = (text: keyof SesTexts, expected: string): Error =>
    new Error(`${nameOf(text)}: expected ${expected}`)
  const region = needed('region')
  if (!regionShape.test(region)) throw wrong('region', 'a region such as eu-west-1')
  const accessKeyId = needed('accessKeyId')
  if (!/^\w{16,128}$/.test(accessKeyId))
    throw wrong('accessKeyId', 'the identifier of an access key, such as AKIA and 16 characters')
  const { configurationSet, sessionToken } = texts
  if (sessionToken !== null && !/^[\w+/=.-]{16,4096}$/.test(sessionToken))
    throw wrong('sessionToken', 'the session token of a temporary key')
  if (configurationSet !== null && !/^[\w-]{1,64}$/.test(configurationSet))
    throw wrong('configurationSet', 'letters, digits, - and _, at most 64')
  const topicArns = (texts.topicArns ?? '').split(',').flatMap((arn) => arn.trim() || [])
  if (topicArns.some((arn) => snsHostOf(arn) === null))
    throw wrong(
      'topicArns',
      'topics such as arn:aws:sns:eu-west-1:123456789012:name, divided by commas',
    )
  const address = (text: 'endpoint' | 'queueUrl', expected: string): string | null => {
    const value = texts[text]
    if (value !== null && !isAddress(value)) throw wrong(text, expected)
    return value
  }
  const origin = (expected: string): string | null => {
    const value = address('endpoint', expected)
    if (value !== null && new URL(value).pathname !== '/') throw wrong('endpoint', expected)
    return value
  }
  return {
    region,
    credentials: {
      ...{ accessKeyId, secretAccessKey: needed('secretAccessKey') },
      ...(sessionToken !== null && { sessionToken }),
    },
    configurationSet,
    topicArns,
    endpoint: origin('an https:// address without a path, or an http:// one of this machine'),
    queueUrl: address(
      'queueUrl',
      "a queue's address such as https://sqs.eu-west-1.amazonaws.com/123456789012/name",
    ),
  }
}

/**
 * Others may read the signed request, but must not change the answer: without TLS only within this
 * machine.
 */
function isAddress(text: string): boolean {
  const url = URL.parse(text)
  if (
    url === null ||
    url.username !== '' ||
    url.password !== '' ||
    url.hash !== '' ||
    url.search !== ''
  )
    return false
  return (
    url.protocol === 'https:' ||
    (url.protocol === 'http:' && isLoopback(url.hostname.replaceAll(/^\[|\]$/g, '')))
  )
}
