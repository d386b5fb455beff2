/** The operator's settings: the only module that reads the environment; it reports each wrong setting in one line. */
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { readDomain } from './contract/domain-name.ts'
import { providerNames, type ProviderName } from './contract/provider-names.ts'
import { readNameServer } from './dns/servers.ts'
import { parseFailpoints } from './failpoints.ts'
import { endsLoginClearly, escapesInLogin } from './login-in-url.ts'
import { OperatorError } from './operator-error.ts'
import { unknownSettings, type SettingName } from './setting-names.ts'

export interface Config {
  /** The program's name in hints. */
  readonly program: string
  /** Port and address that the API listens on. */
  readonly port: number
  readonly host: string
  /** The data folder, absolute. */
  readonly dataFolder: string
  /** The public address of the service, without a slash at its end. */
  readonly baseUrl: string
  /** An external PostgreSQL; null is the embedded one. */
  readonly databaseUrl: string | null
  /** The provider of workspaces that have none of their own. */
  readonly provider: ProviderName
  /** Amazon SES, still as texts: its provider reads them. */
  readonly ses: SesTexts
  /** The relay, still as a text: its provider reads it. */
  readonly smtpUrl: string | null
  readonly smtpConnections: number
  /** Our name in EHLO, as A-label; null is the machine's, where that is one to look up, or else an address literal. */
  readonly heloName: string | null
  /** The source addresses of direct delivery, at most one of each family; none: the system chooses. */
  readonly sourceAddresses: readonly string[]
  /** Where mail hosts listen. */
  readonly mxPort: number
  /** Where policies of MTA-STS are fetched from. */
  readonly mtaStsPort: number
  /** Connections to the hosts of a domain at most. */
  readonly mxConnections: number
  /** The SMTP port for returned mail; null is none. Without a host name it listens on all addresses of this machine. */
  readonly inboundPort: number | null
  readonly inboundHost: string
  /** PEM files for STARTTLS at that port; null: STARTTLS is not offered. */
  readonly inboundTls: { readonly certFile: string; readonly keyFile: string } | null
  /** The domain of our return paths, whose MX leads to the inbound port; null: bounces go to the sender's address. */
  readonly inboundDomain: string | null
  /** The longest time that a stop may take. */
  readonly stopSeconds: number
  /** Whether `X-Forwarded-*` is trusted: from all, none, or the addresses and ranges of a list. */
  readonly trustProxy: boolean | string
  /** Where a process without the api role answers /healthz, /readyz and /metrics; null is nowhere. */
  readonly healthPort: number | null
  /** 32 bytes that seal the secrets in the database; null is a file in the data folder. */
  readonly masterKey: Buffer | null
  /** Named places where a test breaks us: see failpoints.ts. */
  readonly failpoints: string
  readonly logLevel: LogLevel
  /** The language of answers to callers who ask for none; null is the installation's: see main/open-language.ts. */
  readonly language: ConfigLanguage | null
  /** The language of the environment's locale; null where it names neither French nor English. */
  readonly locale: Locale | null
  /** Opens the pages that otherwise answer on loopback only; null: they stay there. */
  readonly operatorToken: string | null
  /** Name servers, as `192.0.2.1` or `[::1]:5353`; null is the system's. */
  readonly dnsServers: readonly string[] | null
  /** Terms that SPF records need for our mail to pass; null: they derive from the provider. */
  readonly spf: string[] | null
  /** How long a request waits for the provider before it answers `queued`. */
  readonly inlineSeconds: number
  readonly leaseSeconds: number
  readonly retryFirstSeconds: number
  readonly retryMaxSeconds: number
  /** The longest time from the first attempt of a message to the last. */
  readonly queueLifeSeconds: number
  /** Seconds without feedback after which mail counts as delivered, with a provider that sends none; 0 is never. */
  readonly deliveredAfterSeconds: number
  /** Messages a second over all processes; null is no limit. */
  readonly ratePerSecond: number | null
  /** Whether a single message in doubt is repeated once, or held. */
  readonly inDoubt: 'repeat' | 'hold'
  /** Free bytes that the disk must have for intake to go on; 0 disables the check. */
  readonly diskFreeMin: number
  /** Ranges, as `10.0.0.0/8`, that webhooks and mail may be sent to although they are not public. */
  readonly allowedRanges: readonly string[]
}

/** Null: absent. `topicArns` are several, divided by commas. */
type SesTexts = Record<
  'region' | 'accessKeyId' | 'secretAccessKey' | 'endpoint' | 'configurationSet' | 'topicArns' | 'queueUrl',
  string | null
>

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

const languages = ['fr', 'en'] as const
export type ConfigLanguage = (typeof languages)[number]

export interface Locale {
  language: ConfigLanguage
  /** As `LANG=en_GB.UTF-8`. */
  from: string
}

export type Environment = Record<string, string | undefined>

/** The process's own environment: the default source of the settings. */
export const environment = (): Environment => process.env

export interface Survey {
  /** The settings that were read, with the default in place of each refused value. */
  config: Config
  /** One line for each refusal: it names the variable, its value (unless it is a secret) and what is expected. */
  problems: string[]
}

/** Reads the settings. Throws one `OperatorError` with all refusals, a line each. */
export function readConfig(env: Environment = process.env): Config {
  const { config, problems } = surveyConfig(env)
  refuseAll(problems)
  return config
}

/** Throws `OperatorError` with a line for each problem; does nothing when there is none. */
export function refuseAll(problems: readonly string[]): void {
  if (problems.length > 0) throw new OperatorError(problems.join('\n'))
}

/** Reads every setting, also after one that is refused. */
export function surveyConfig(env: Environment): Survey {
  const problems = unknownSettings(env)
  /** Null: absent or refused. */
  const take = <Given extends unknown[], T>(read: (env: Environment, ...given: Given) => T, ...given: Given): T | null => {
    try {
      return read(env, ...given)
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      problems.push(error.message)
      return null
    }
  }
  const port = take(readPort, 'FACTEUR_PORT') ?? 3025
  const host = take(readHost, 'FACTEUR_HOST') ?? '127.0.0.1'
  const config = Object.freeze<Config>({
    program: invokedAs(env),
    port,
    host,
    dataFolder: resolve(readText(env, 'FACTEUR_DATA') ?? './data'),
    baseUrl: take(readBaseUrl) ?? defaultBaseUrl(host, port),
    databaseUrl: take(readDatabaseUrl),
    provider: take(readProvider) ?? 'local-capture',
    ses: readSes(env),
    smtpUrl: readText(env, 'FACTEUR_SMTP_URL'),
    smtpConnections: take(readWhole, 'FACTEUR_SMTP_CONNECTIONS', 1, 1_000) ?? 10,
    heloName: take(readDomainName, 'FACTEUR_HELO_NAME'),
    sourceAddresses: take(readSources) ?? [],
    mxPort: take(readWhole, 'FACTEUR_MX_PORT', 1, 65_535) ?? 25,
    mtaStsPort: take(readWhole, 'FACTEUR_MTA_STS_PORT', 1, 65_535) ?? 443,
    mxConnections: take(readWhole, 'FACTEUR_MX_CONNECTIONS', 1, 200) ?? 20,
    inboundPort: take(readPort, 'FACTEUR_INBOUND_PORT'),
    inboundHost: take(readHost, 'FACTEUR_INBOUND_HOST') ?? '0.0.0.0',
    inboundTls: take(readInboundTls),
    inboundDomain: take(readDomainName, 'FACTEUR_INBOUND_DOMAIN'),
    stopSeconds: take(readNumber, 'FACTEUR_STOP_SECONDS', 0, 3_600) ?? 5,
    trustProxy: take(readTrustProxy) ?? false,
    healthPort: take(readPort, 'FACTEUR_HEALTH_PORT'),
    masterKey: take(readMasterKey),
    failpoints: take(readFailpoints) ?? '',
    logLevel: take(readChoice<LogLevel>, 'FACTEUR_LOG_LEVEL', logLevels) ?? 'info',
    language: take(readChoice<ConfigLanguage>, 'FACTEUR_LANGUAGE', languages),
    locale: readLocale(env),
    operatorToken: take(readToken),
    dnsServers: take(readNameServers),
    spf: take(readSpf),
    inlineSeconds: take(readNumber, 'FACTEUR_INLINE_SECONDS', 0, 60) ?? 10,
    leaseSeconds: take(readNumber, 'FACTEUR_LEASE_SECONDS', leaseSecondsMin, 3_600) ?? 90,
    retryFirstSeconds: take(readNumber, 'FACTEUR_RETRY_FIRST_SECONDS', 0, 86_400) ?? 60,
    retryMaxSeconds: take(readNumber, 'FACTEUR_RETRY_MAX_SECONDS', 0, 604_800) ?? 14_400,
    queueLifeSeconds: take(readNumber, 'FACTEUR_QUEUE_LIFE_SECONDS', 0, 2_592_000) ?? 172_800,
    deliveredAfterSeconds: take(readNumber, 'FACTEUR_DELIVERED_AFTER_SECONDS', 0, 2_592_000) ?? 900,
    ratePerSecond: take(readNumber, 'FACTEUR_RATE_PER_SECOND', 0.001, 1_000_000),
    inDoubt: take(readChoice<Config['inDoubt']>, 'FACTEUR_IN_DOUBT', ['repeat', 'hold']) ?? 'repeat',
    diskFreeMin: (take(readNumber, 'FACTEUR_DISK_FREE_MB', 0, 1_000_000_000) ?? 500) * 1_000_000,
    allowedRanges: take(readRanges, 'FACTEUR_ALLOWED_RANGES') ?? [],
  })
  return { config, problems: [...problems, ...contradictions(config)] }
}

/** Renewal happens at each third of a lease, with a sixth as reserve. Below two seconds, one slow statement loses it. */
const leaseSecondsMin = 2

/** Refuses values that are valid alone but not together. */
function contradictions({ retryFirstSeconds, retryMaxSeconds, port, inboundPort, healthPort }: Config): string[] {
  return [
    ...(retryFirstSeconds > retryMaxSeconds
      ? [
          `FACTEUR_RETRY_FIRST_SECONDS is "${retryFirstSeconds}": expected at most FACTEUR_RETRY_MAX_SECONDS, which is ${retryMaxSeconds}`,
        ]
      : []),
    ...(inboundPort !== null && inboundPort !== 0 && [port, healthPort].includes(inboundPort)
      ? [
          `FACTEUR_INBOUND_PORT is "${inboundPort}": expected another port than that of ${inboundPort === port ? 'FACTEUR_PORT' : 'FACTEUR_HEALTH_PORT'}`,
        ]
      : []),
  ]
}

/** An empty variable counts as absent, because compose files and shells easily create them. */
function readText(env: Environment, name: SettingName): string | null {
  return env[name]?.trim() || null
}

function readNumber(env: Environment, name: SettingName, min: number, max: number): number | null {
  const text = readText(env, name)
  if (text === null) return null
  const number = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && number >= min && number <= max) return number
  throw wrong(name, text, `a number from ${min} to ${max}`)
}

function readWhole(env: Environment, name: SettingName, min: number, max: number): number | null {
  const number = readNumber(env, name, min, max)
  if (number === null || Number.isInteger(number)) return number
  throw wrong(name, String(number), `a whole number from ${min} to ${max}`)
}

/** 0 asks the system for a free port; tests do. */
const readPort = (env: Environment, name: SettingName): number | null => readWhole(env, name, 0, 65_535)

/** An address, or a name that leads to one of this machine's. */
function readHost(env: Environment, name: SettingName): string | null {
  const text = readText(env, name)
  if (text === null || isIP(text) !== 0) return text
  if (/^[\w-]+(?:\.[\w-]+)*\.?$/.test(text) && /[a-z]/i.test(text)) return text
  throw wrong(name, text, 'an address of this machine, such as 127.0.0.1, ::1 or 0.0.0.0')
}

function readFailpoints(env: Environment): string | null {
  const text = readText(env, 'FACTEUR_FAILPOINTS')
  if (text !== null) parseFailpoints(text)
  return text
}

/** POSIX, Base Definitions 8.2: LC_ALL, then the category's variable, then LANG; an empty one counts as absent. */
function readLocale(env: Environment): Locale | null {
  const name = ['LC_ALL', 'LC_MESSAGES', 'LANG'].find((candidate) => env[candidate]?.trim())
  const value = name === undefined ? '' : (env[name]?.trim() ?? '')
  const language = languages.find((known) => new RegExp(`^${known}(?:[_.@-]|$)`, 'i').test(value))
  return name === undefined || language === undefined ? null : { language, from: `${name}=${value}` }
}

function readChoice<Choice extends string>(env: Environment, name: SettingName, choices: readonly Choice[]): Choice | null {
  const text = readText(env, name)
  if (text === null) return null
  const choice = choices.find((candidate) => candidate === text.toLowerCase())
  if (choice === undefined) throw wrong(name, text, choices.join(', '))
  return choice
}

function readInboundTls(env: Environment): Config['inboundTls'] {
  const certFile = readText(env, 'FACTEUR_INBOUND_TLS_CERT')
  const keyFile = readText(env, 'FACTEUR_INBOUND_TLS_KEY')
  if (certFile !== null && keyFile !== null) return { certFile, keyFile }
  if (certFile === null && keyFile === null) return null
  throw new OperatorError('FACTEUR_INBOUND_TLS_CERT and FACTEUR_INBOUND_TLS_KEY go together: set both, or neither')
}

/** As A-label. */
function readDomainName(env: Environment, name: SettingName): string | null {
  const text = readText(env, name)
  if (text === null) return null
  const domain = readDomain(text)
  if (typeof domain === 'string') return domain
  throw wrong(name, text, 'a domain such as bounces.example.com')
}

function readSources(env: Environment): readonly string[] {
  const text = readText(env, 'FACTEUR_SOURCE_ADDRESS')
  const addresses = text?.split(',').map((address) => address.trim()) ?? []
  const families = addresses.map(isIP)
  if (!families.includes(0) && new Set(families).size === families.length) return addresses
  throw wrong(
    'FACTEUR_SOURCE_ADDRESS',
    text ?? '',
    'an address of this machine, or one IPv4 and one IPv6 address such as 192.0.2.1,2001:db8::1',
  )
}

function readProvider(env: Environment): Config['provider'] {
  const relay = readText(env, 'FACTEUR_SMTP_URL') !== null
  const provider = readChoice(env, 'FACTEUR_PROVIDER', providerNames) ?? (relay ? 'smtp-relay' : 'local-capture')
  if (provider !== 'smtp-relay' || relay) return provider
  throw new OperatorError('FACTEUR_PROVIDER is "smtp-relay": FACTEUR_SMTP_URL has to name the relay')
}

const readSes = (env: Environment): SesTexts => ({
  region: readText(env, 'FACTEUR_SES_REGION'),
  accessKeyId: readText(env, 'FACTEUR_SES_ACCESS_KEY_ID'),
  secretAccessKey: readText(env, 'FACTEUR_SES_SECRET_ACCESS_KEY'),
  endpoint: readText(env, 'FACTEUR_SES_ENDPOINT'),
  configurationSet: readText(env, 'FACTEUR_SES_CONFIGURATION_SET'),
  topicArns: readText(env, 'FACTEUR_SES_TOPIC_ARN'),
  queueUrl: readText(env, 'FACTEUR_SES_QUEUE_URL'),
})

/** The program's name in its hints, from the launcher or from compose.yaml. */
export const invokedAs = (env: Environment): string => env['FACTEUR_INVOKED_AS']?.trim() || 'facteur'

/** Reads a secret for a command from a variable: every user of the machine can see arguments. */
export const readVariable = (name: string, env: Environment = process.env): string | null => env[name]?.trim() || null

function readBaseUrl(env: Environment): string | null {
  const text = readText(env, 'FACTEUR_BASE_URL')
  if (text === null) return null
  const url = URL.parse(text)
  const isPlain =
    url && /^https?:$/.test(url.protocol) && url.username + url.password + url.search + url.hash === '' && url.pathname === '/'
  if (isPlain) return url.origin
  throw wrong('FACTEUR_BASE_URL', withoutPassword(text), 'an address without a path, such as https://mail.example.com')
}

function defaultBaseUrl(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${isIP(reachable) === 6 ? `[${reachable}]` : reachable}:${port}`
}

function readDatabaseUrl(env: Environment): string | null {
  const text = readText(env, 'DATABASE_URL')
  if (text === null) return null
  if (!/^postgres(ql)?:\/\//.test(text))
    throw new OperatorError('DATABASE_URL: expected an address such as postgres://user:password@host:5432/facteur')
  if (!endsLoginClearly(text)) throw new OperatorError(`DATABASE_URL: it is not clear where the password ends; ${escapesInLogin}`)
  return text
}

function readTrustProxy(env: Environment): boolean | string {
  const text = readText(env, 'FACTEUR_TRUST_PROXY')
  if (text === null || /^(false|no|0)$/i.test(text)) return false
  if (/^(true|yes|1)$/i.test(text)) return true
  if (text.split(',').every(isRange)) return text
  throw wrong('FACTEUR_TRUST_PROXY', text, 'true, false, or the addresses of the proxies, such as 10.0.0.0/8,::1')
}

function readRanges(env: Environment, name: SettingName): readonly string[] {
  const text = readText(env, name)
  if (text === null) return []
  const ranges = text.split(',').map((range) => range.trim())
  if (!ranges.every(isRange)) throw wrong(name, text, 'addresses and ranges of them, such as 10.0.0.0/8,fd00::/8')
  return ranges.map((range) => (range.includes('/') ? range : `${range}/${isIP(range) === 4 ? 32 : 128}`))
}

function isRange(text: string): boolean {
  const [address, bits, ...rest] = text.trim().split('/')
  const kind = isIP(address ?? '')
  if (kind === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (kind === 4 ? 32 : 128))
}

function readSpf(env: Environment): string[] | null {
  const terms = readText(env, 'FACTEUR_SPF')?.split(/[\s,]+/) ?? null
  if (terms === null || terms.every(isSpfTerm)) return terms
  throw wrong('FACTEUR_SPF', terms.join(' '), 'terms of SPF, such as ip4:192.0.2.10 or include:spf.relay.example')
}

/** RFC 7208 5: the mechanisms that name sources of mail. */
function isSpfTerm(term: string): boolean {
  const [, mechanism = '', value = ''] = /^(ip4|ip6|a|include):(.+)$/i.exec(term) ?? []
  const [name = ''] = value.split('/')
  switch (mechanism.toLowerCase()) {
    case 'ip4':
      return isIP(name) === 4 && isRange(value)
    case 'ip6':
      return isIP(name) === 6 && isRange(value)
    case 'a':
      return isSpfDomain(name) && /^[^/]+(?:\/(?:\d|[12]\d|3[0-2]))?$/.test(value)
    default:
      return isSpfDomain(value)
  }
}

/** A name that holds SPF records may have underscores, such as _spf.relay.example. */
const isSpfDomain = (name: string): boolean =>
  name.length <= 253 && /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(name)

function readNameServers(env: Environment): string[] | null {
  const text = readText(env, 'FACTEUR_DNS_SERVERS')
  const servers = text?.split(',').map((server) => server.trim())
  if (text === null || !servers) return null
  if (servers.every((server) => readNameServer(server) !== null)) return servers
  throw wrong('FACTEUR_DNS_SERVERS', text, 'addresses of name servers, such as 127.0.0.1,192.0.2.53:5353,[::1]:5353')
}

function readMasterKey(env: Environment): Buffer | null {
  const text = readText(env, 'FACTEUR_MASTER_KEY')
  if (text === null) return null
  const key = parseMasterKey(text)
  if (!key)
    throw new OperatorError('FACTEUR_MASTER_KEY: expected 32 random bytes in base64, as `openssl rand -base64 32` prints them')
  return key
}

/** The 32 bytes that a base64 text stands for; null when it does not. */
export function parseMasterKey(text: string): Buffer | null {
  // Node.js skips characters outside base64, which would give another key than the written one.
  if (!/^[\w+/-]{43}=?$/.test(text.trim())) return null
  return Buffer.from(text.trim(), 'base64')
}

function readToken(env: Environment): string | null {
  const text = readText(env, 'FACTEUR_OPERATOR_TOKEN')
  if (text === null || text.length >= 16) return text
  throw new OperatorError('FACTEUR_OPERATOR_TOKEN: expected at least 16 characters that are hard to guess')
}

const wrong = (name: SettingName, value: string, expected: string): OperatorError =>
  new OperatorError(`${name} is "${value}": expected ${expected}`)

const withoutPassword = (text: string): string => text.replace(/\/\/.*@/s, '//***@')
