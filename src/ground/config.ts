/**
 * The operator's settings: the only module that reads the environment; it reports each wrong
 * setting in one line.
 */
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { providerNames, type ProviderName } from './provider-names.ts'
import { OperatorError } from './operator-error.ts'
import * as read from './setting-readers.ts'
import { memberLanguages, type Language } from './texts/languages.ts'
import { unknownSettings } from './unknown-settings.ts'

interface Setting<Name extends string, T> {
  name: Name
  read: read.Reader<T>
  /** In place of an absent or refused value. */
  otherwise: T
}

function setting<const Name extends string, T>(
  name: Name,
  reader: read.Reader<T>,
): Setting<Name, T | null>
function setting<const Name extends string, T>(
  name: Name,
  reader: read.Reader<T>,
  otherwise: NoInfer<T>,
): Setting<Name, T>
function setting<const Name extends string, T>(
  name: Name,
  reader: read.Reader<T>,
  otherwise: T | null = null,
) {
  return { name, read: reader, otherwise }
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/**
 * Renewal happens at each third of a lease, with a sixth as reserve. Below two seconds, one slow
 * statement loses it.
 */
const leaseSecondsMin = 2

/** Amazon SES, still as texts: its provider reads them. */
const sesSettings = {
  region: setting('FACTEUR_SES_REGION', read.asText),
  accessKeyId: setting('FACTEUR_SES_ACCESS_KEY_ID', read.asText),
  secretAccessKey: setting('FACTEUR_SES_SECRET_ACCESS_KEY', read.asText),
  /** Of a temporary key. */
  sessionToken: setting('FACTEUR_SES_SESSION_TOKEN', read.asText),
  endpoint: setting('FACTEUR_SES_ENDPOINT', read.asText),
  configurationSet: setting('FACTEUR_SES_CONFIGURATION_SET', read.asText),
  /** Several, divided by commas. */
  topicArns: setting('FACTEUR_SES_TOPIC_ARN', read.asText),
  queueUrl: setting('FACTEUR_SES_QUEUE_URL', read.asText),
}

/** Google's Postmaster Tools: what Gmail says of our domains. */
const postmasterSettings = {
  /** The JSON file of a service account, absolute. Null if they are not read. */
  keyFile: setting('FACTEUR_GOOGLE_POSTMASTER_KEY', (text) => resolve(text)),
  /** The user of Google Workspace in whose name the service account asks. Null means in its own. */
  user: setting('FACTEUR_GOOGLE_POSTMASTER_USER', read.mailAddress),
  endpoint: setting(
    'FACTEUR_GOOGLE_POSTMASTER_ENDPOINT',
    read.baseUrl,
    'https://gmailpostmastertools.googleapis.com',
  ),
}

/** All others. Refusals are reported in this order. */
const settings = {
  /** Port and address that the API listens on. */
  port: setting('FACTEUR_PORT', read.port, 3025),
  host: setting('FACTEUR_HOST', read.host, '127.0.0.1'),
  /** The data folder, absolute. */
  dataFolder: setting('FACTEUR_DATA', (text) => resolve(text), resolve('./data')),
  baseUrl: setting('FACTEUR_BASE_URL', read.baseUrl),
  /** An external PostgreSQL; null is the embedded one. */
  databaseUrl: setting('DATABASE_URL', read.databaseUrl),
  provider: setting('FACTEUR_PROVIDER', read.choice(providerNames)),
  /** The relay, still as a text: its provider reads it. */
  smtpUrl: setting('FACTEUR_SMTP_URL', read.asText),
  smtpConnections: setting('FACTEUR_SMTP_CONNECTIONS', read.whole(1, 1_000), 10),
  /**
   * Our name in EHLO, as A-label; null is the machine's, where that is one to look up, or else an
   * address literal.
   */
  heloName: setting('FACTEUR_HELO_NAME', read.domain),
  /**
   * The source addresses of direct delivery, at most one of each family; none: the system chooses.
   */
  sourceAddresses: setting('FACTEUR_SOURCE_ADDRESS', read.sourceAddresses, []),
  /** Where mail hosts listen. */
  mxPort: setting('FACTEUR_MX_PORT', read.whole(1, 65_535), 25),
  /** Where policies of MTA-STS are fetched from. */
  mtaStsPort: setting('FACTEUR_MTA_STS_PORT', read.whole(1, 65_535), 443),
  /** Connections to the hosts of a domain at most. */
  mxConnections: setting('FACTEUR_MX_CONNECTIONS', read.whole(1, 200), 20),
  /**
   * The SMTP port for returned mail; null is none. Without a host name it listens on all addresses
   * of this machine.
   */
  inboundPort: setting('FACTEUR_INBOUND_PORT', read.port),
  inboundHost: setting('FACTEUR_INBOUND_HOST', read.host, '0.0.0.0'),
  inboundTlsCert: setting('FACTEUR_INBOUND_TLS_CERT', read.asText),
  inboundTlsKey: setting('FACTEUR_INBOUND_TLS_KEY', read.asText),
  /**
   * The domain of our return paths, whose MX leads to the inbound port. Null means bounces go to
   * the sender's address.
   */
  inboundDomain: setting('FACTEUR_INBOUND_DOMAIN', read.domain),
  /**
   * The SMTP ports that programs hand mail in by, 0 is off; null, and the host too: as
   * core/submission-ports.ts says.
   */
  submissionPort: setting('FACTEUR_SUBMISSION_PORT', read.port),
  submissionTlsPort: setting('FACTEUR_SUBMISSION_TLS_PORT', read.port),
  submissionHost: setting('FACTEUR_SUBMISSION_HOST', read.host),
  submissionTlsCert: setting('FACTEUR_SUBMISSION_TLS_CERT', read.asText),
  submissionTlsKey: setting('FACTEUR_SUBMISSION_TLS_KEY', read.asText),
  /**
   * How long a process that is asked to stop still answers calls, so that a load balancer notices.
   */
  drainSeconds: setting('FACTEUR_DRAIN_SECONDS', read.number(0, 3_600), 0),
  /** The longest time that a stop may take, after that. */
  stopSeconds: setting('FACTEUR_STOP_SECONDS', read.number(0, 3_600), 5),
  /** Whether `X-Forwarded-*` is trusted: from all, none, or the addresses and ranges of a list. */
  trustProxy: setting('FACTEUR_TRUST_PROXY', read.trustProxy, false),
  /**
   * Where a process without the api role answers /healthz, /readyz and /metrics; null is nowhere.
   */
  healthPort: setting('FACTEUR_HEALTH_PORT', read.port),
  /** 32 bytes that seal the secrets in the database; null is a file in the data folder. */
  masterKey: setting('FACTEUR_MASTER_KEY', read.masterKey),
  /** Named places where a test breaks us: see failpoints.ts. */
  failpoints: setting('FACTEUR_FAILPOINTS', read.failpoints, ''),
  logLevel: setting('FACTEUR_LOG_LEVEL', read.choice(logLevels), 'info'),
  /**
   * The language of answers to callers who ask for none; null is the installation's: see
   * main/service-settings.ts.
   */
  language: setting('FACTEUR_LANGUAGE', read.choice(memberLanguages)),
  /**
   * Opens the operator's pages. Null if they open to this machine alone, and to nobody where the
   * base URL is public.
   */
  operatorToken: setting('FACTEUR_OPERATOR_TOKEN', read.token),
  /** Name servers, as `192.0.2.1` or `[::1]:5353`; null is the system's. */
  dnsServers: setting('FACTEUR_DNS_SERVERS', read.nameServers),
  /** Terms that SPF records need for our mail to pass. Null if they derive from the provider. */
  spf: setting('FACTEUR_SPF', read.spf),
  /** How long a request waits for the provider before it answers `queued`. */
  inlineSeconds: setting('FACTEUR_INLINE_SECONDS', read.number(0, 60), 10),
  leaseSeconds: setting('FACTEUR_LEASE_SECONDS', read.number(leaseSecondsMin, 3_600), 90),
  retryFirstSeconds: setting('FACTEUR_RETRY_FIRST_SECONDS', read.number(0, 86_400), 60),
  retryMaxSeconds: setting('FACTEUR_RETRY_MAX_SECONDS', read.number(0, 604_800), 14_400),
  /** The longest time from the first attempt of a message to the last. */
  queueLifeSeconds: setting('FACTEUR_QUEUE_LIFE_SECONDS', read.number(0, 2_592_000), 172_800),
  /**
   * Seconds without feedback after which mail counts as delivered, with a provider that sends none;
   * 0 is never.
   */
  deliveredAfterSeconds: setting('FACTEUR_DELIVERED_AFTER_SECONDS', read.number(0, 2_592_000), 900),
  /** Messages a second over all processes; null is no limit. */
  ratePerSecond: setting('FACTEUR_RATE_PER_SECOND', read.number(0.001, 1_000_000)),
  /** Whether a single message in doubt is repeated once, or held. */
  inDoubt: setting('FACTEUR_IN_DOUBT', read.choice(['repeat', 'hold']), 'repeat'),
  /**
   * Successful calls of a key and an operation in a second, beyond which the log of calls stores
   * some for all; 0: refusals alone.
   */
  requestLogPerSecond: setting('FACTEUR_REQUEST_LOG_PER_SECOND', read.whole(0, 1_000_000), 50),
  /**
   * Where traces go, by OTLP over HTTP, whole in both; the second comes first. Null in both: none
   * are made.
   */
  collectorTraces: setting('OTEL_EXPORTER_OTLP_ENDPOINT', read.collectorBase),
  ownTraces: setting('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', read.tracesEndpoint),
  /**
   * Of them only `http/json` is spoken; without an address of a collector they are for other
   * programs.
   */
  collectorProtocol: setting('OTEL_EXPORTER_OTLP_PROTOCOL', read.asText),
  tracesProtocol: setting('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', read.asText),
  /** Free bytes that the disk must have for intake to go on; 0 disables the check. */
  diskFreeMin: setting('FACTEUR_DISK_FREE_MB', read.megabytes, 500_000_000),
  /** Where scheduled backups go, absolute. Null if none are made. */
  backupFolder: setting('FACTEUR_BACKUP_DIR', (text) => resolve(text)),
  backupEverySeconds: setting('FACTEUR_BACKUP_EVERY', read.duration, 86_400),
  /** How many of them stay. */
  backupKeep: setting('FACTEUR_BACKUP_KEEP', read.whole(1, 10_000), 7),
  /**
   * Ranges, as `10.0.0.0/8`, that webhooks and mail may be sent to although they are not public.
   */
  allowedRanges: setting('FACTEUR_ALLOWED_RANGES', read.ranges, []),
}

const tables = [settings, sesSettings, postmasterSettings]
export const settingNames = tables.flatMap((table) => Object.values(table)).map(({ name }) => name)
export type SettingName = (typeof settingNames)[number]
export const isSetting = (name: string): boolean => settingNames.some((known) => known === name)

type Table = Record<string, Setting<string, unknown>>
type Values<T extends Table> = { readonly [Key in keyof T]: T[Key]['otherwise'] }

export interface Config extends Omit<Values<typeof settings>, 'provider' | 'baseUrl'> {
  /** The program's name in hints. */
  readonly program: string
  /** The public address of the service, without a slash at its end. */
  readonly baseUrl: string
  /** The provider of workspaces that have none of their own. */
  readonly provider: ProviderName
  readonly ses: Values<typeof sesSettings>
  readonly postmaster: Values<typeof postmasterSettings>
  /** PEM files for STARTTLS at the inbound port. Null if STARTTLS is not offered. */
  readonly inboundTls: TlsFiles | null
  /** The same for the ports that programs hand mail in by. Null if no TLS is offered. */
  readonly submissionTls: TlsFiles | null
  /** The language of the environment's locale; null where it names neither French nor English. */
  readonly locale: Locale | null
  /**
   * The data folder that said where the database is, by its file of a move. Absent means the
   * settings say it.
   */
  readonly movedFrom?: string
}

export interface TlsFiles {
  readonly certFile: string
  readonly keyFile: string
}

export interface Locale {
  language: Language
  /** As `LANG=en_GB.UTF-8`. */
  from: string
}

export type Environment = Record<string, string | undefined>

/** The process's own environment: the default source of the settings. */
export const environment = (): Environment => process.env

export interface Survey {
  /** The settings that were read, with the default in place of each refused value. */
  config: Config
  /**
   * One line for each refusal: it names the variable, its value (unless it is a secret) and what is
   * expected.
   */
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
  const problems = unknownSettings(env, settingNames)
  const take = <T>(work: () => T, otherwise: T): T => {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      problems.push(error.message)
      return otherwise
    }
  }
  const takeAll = <T extends Table>(table: T): Values<T> => {
    const values = Object.entries(table).map(([key, { name, read: reader, otherwise }]) => {
      const text = readVariable(name, env)
      return [key, text === null ? otherwise : take(() => reader(text, name), otherwise)]
    })
    return Object.fromEntries(values) as Values<T>
  }
  const values = takeAll(settings)
  const config = Object.freeze<Config>({
    ...values,
    program: invokedAs(env),
    baseUrl: values.baseUrl ?? defaultBaseUrl(values),
    provider: take(() => chooseProvider(values), 'local-capture'),
    ses: takeAll(sesSettings),
    postmaster: takeAll(postmasterSettings),
    inboundTls: take(
      () => pairFiles('FACTEUR_INBOUND_TLS', values.inboundTlsCert, values.inboundTlsKey),
      null,
    ),
    submissionTls: take(
      () => pairFiles('FACTEUR_SUBMISSION_TLS', values.submissionTlsCert, values.submissionTlsKey),
      null,
    ),
    locale: readLocale(env),
  })
  return { config, problems: [...problems, ...contradictions(config)] }
}

type SettingValues = Values<typeof settings>

function defaultBaseUrl({ host, port }: SettingValues): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${isIP(reachable) === 6 ? `[${reachable}]` : reachable}:${port}`
}

function chooseProvider({ provider, smtpUrl }: SettingValues): ProviderName {
  if (provider !== 'smtp-relay' || smtpUrl !== null)
    return provider ?? (smtpUrl === null ? 'local-capture' : 'smtp-relay')
  throw new OperatorError(
    'FACTEUR_PROVIDER is "smtp-relay": FACTEUR_SMTP_URL has to name the relay',
  )
}

function pairFiles(
  names: string,
  certFile: string | null,
  keyFile: string | null,
): TlsFiles | null {
  if (certFile !== null && keyFile !== null) return { certFile, keyFile }
  if (certFile === null && keyFile === null) return null
  throw new OperatorError(`${names}_CERT and ${names}_KEY go together: set both, or neither`)
}

/**
 * POSIX, Base Definitions 8.2: LC_ALL, then the category's variable, then LANG; an empty one counts
 * as absent.
 */
function readLocale(env: Environment): Locale | null {
  const name = ['LC_ALL', 'LC_MESSAGES', 'LANG'].find((candidate) => env[candidate]?.trim())
  const value = name === undefined ? '' : (env[name]?.trim() ?? '')
  const language = memberLanguages.find((known) =>
    new RegExp(`^${known}(?:[_.@-]|$)`, 'i').test(value),
  )
  return name === undefined || language === undefined
    ? null
    : { language, from: `${name}=${value}` }
}

/** Refuses values that are valid alone but not together. */
function contradictions(config: Config): string[] {
  const { retryFirstSeconds, retryMaxSeconds, port, inboundPort, healthPort } = config
  const problems: string[] = [...refusedProtocol(config)]
  if (retryFirstSeconds > retryMaxSeconds) {
    const expected = `at most FACTEUR_RETRY_MAX_SECONDS, which is ${retryMaxSeconds}`
    problems.push(`FACTEUR_RETRY_FIRST_SECONDS is "${retryFirstSeconds}": expected ${expected}`)
  }
  if (inboundPort !== null && inboundPort !== 0 && [port, healthPort].includes(inboundPort)) {
    const other = inboundPort === port ? 'FACTEUR_PORT' : 'FACTEUR_HEALTH_PORT'
    problems.push(
      `FACTEUR_INBOUND_PORT is "${inboundPort}": expected another port than that of ${other}`,
    )
  }
  if (config.submissionTlsPort && config.submissionTls === null)
    problems.push(
      `FACTEUR_SUBMISSION_TLS_PORT is "${config.submissionTlsPort}": expected FACTEUR_SUBMISSION_TLS_CERT and FACTEUR_SUBMISSION_TLS_KEY beside it`,
    )
  return problems
}

/** Names and values of OpenTelemetry's specification; the more special variable comes first. */
function refusedProtocol({
  collectorTraces,
  ownTraces,
  collectorProtocol,
  tracesProtocol,
}: Config): string[] {
  const spoken = 'http/json'
  const requested = tracesProtocol ?? collectorProtocol ?? spoken
  if ((collectorTraces ?? ownTraces) === null || requested === spoken) return []
  const name =
    tracesProtocol === null ? 'OTEL_EXPORTER_OTLP_PROTOCOL' : 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'
  const expected = `${spoken}, the one that Facteur sends traces by; OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=${spoken} is for traces alone`
  return [
    `${name} is "${requested}": expected ${expected}. Collectors take it at their port for HTTP, which is 4318`,
  ]
}

/** The program's name in its hints, from the launcher or from compose.yaml. */
export const invokedAs = (env: Environment): string =>
  env['FACTEUR_INVOKED_AS']?.trim() || 'facteur'

/**
 * Reads a variable. An empty one counts as absent, because compose files and shells easily create
 * them.
 */
export const readVariable = (name: string, env: Environment = process.env): string | null =>
  env[name]?.trim() || null
