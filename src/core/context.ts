/**
 * Defines the context that every verb receives: the database, the clock, the providers and the
 * settings. Verbs import none of them.
 */
import type { Clock } from '../ground/clock.ts'
import type { Failpoints } from '../ground/failpoints.ts'
import type { ApiError, Language } from '../contract/errors.ts'
import type { Role } from '../contract/roles.ts'
import type { AdmissionResult, AdmissionUnit } from '../db/sending/admissions.ts'
import type { CampaignKey } from '../db/campaigns/campaign-key.ts'
import type { ClaimedSubscriber } from '../db/campaigns/campaign-claims.ts'
import type { LeasedRow } from '../db/sending/claims.ts'
import type { Connection } from '../database/client/connect.ts'
import type { WakeUp } from '../db/sending/due.ts'
import type { OutcomeRow } from '../db/sending/outcomes.ts'
import type { WarmUpKey } from '../db/sending/warm-ups.ts'
import type { LoggedCall } from '../db/workspaces/request-log.ts'
import type { Resolver } from '../ground/dns/lookup.ts'
import type { MakeId } from '../ground/ids.ts'
import type { Log } from '../ground/log.ts'
import type { LinkTokens } from '../ground/link-tokens.ts'
import type { ComposedMessage } from '../mail/mime/compose.ts'
import type { VerpTokens } from '../mail/reports/verp.ts'
import type { Envelope } from '../providers/provider.ts'
import type { Outbound } from '../ground/outbound/create-outbound.ts'
import type { Providers } from '../providers/providers.ts'
import type { DeliveryWay } from '../providers/registry.ts'
import type { ScanMark } from '../ground/scan-mark.ts'
import type { Secrets } from '../ground/secrets.ts'
import type { CaptureWaits } from './capture-waits.ts'
import type { Databases } from './databases.ts'
import type { FetchSlots } from './fetch-slots.ts'
import type { MailDomains } from './mail-domain.ts'
import type { Passwords } from './passwords.ts'
import type { SubmissionAddress } from './submission-ports.ts'

/** The operator's settings; each number has the unit that its name ends with. */
export interface ServiceSettings {
  /** The service's public address, without a slash at its end. */
  baseUrl: string
  language: Language
  /**
   * The domain of return paths where the customer has none of their own. Null means bounces go to
   * the sender's address.
   */
  inboundDomain: string | null
  /** The MX target of customers' return path domains. Null if bounces do not come to us. */
  bounceHost: string | null
  /** How mail leaves by the deployment's provider. */
  way: DeliveryWay
  /** The addresses that our own delivery connects from. Empty means the system chooses. */
  sourceAddresses: readonly string[]
  /** Where programs hand mail in by SMTP. Null if they cannot. */
  submission: SubmissionAddress | null
  /** The address of the account that reads Google's Postmaster Tools. Null if they are not read. */
  postmasterAddress: string | null
  /**
   * The mechanisms that customers' SPF records must allow (`ip4:192.0.2.1`). Empty means our
   * sending addresses are unknown.
   */
  spf: readonly string[]
  /** Our name in EHLO. Null if it was not set. */
  heloName: string | null
  inlineSeconds: number
  leaseSeconds: number
  retryFirstSeconds: number
  retryMaxSeconds: number
  queueLifeSeconds: number
  /**
   * Seconds without feedback after which mail counts as delivered, for providers that report none;
   * 0 is never.
   */
  deliveredAfterSeconds: number
  /** Whether a single message in doubt is sent once more, or held. */
  inDoubt: 'repeat' | 'hold'
  /**
   * Successful calls of a key and an operation in a second, beyond which the log of calls stores
   * some for all; 0 stores none.
   */
  requestLogPerSecond: number
  /** Free bytes that intake requires on the disk. Null if the disk is not ours to watch. */
  diskFreeMin: number
}

export interface RowKey {
  workspaceId: number
  id: string
}

export interface Context {
  /** Bytes until intake stops for want of disk. Null means not known. */
  roomBytes?(): number | null
  /** The database that this context is of: its tables are what `db` finds. */
  databaseId: number
  db: Connection
  /**
   * A connection for counters that need not survive a crash: its commits do not wait for the disk.
   */
  countingDb: Connection
  /**
   * Connections for counts and lists of segments, which read a whole audience: the sending of mail
   * never waits for one of them.
   */
  segmentDb: Connection
  clock: Clock
  makeId: MakeId
  linkTokens: LinkTokens
  /** Encrypts stored values that must be readable again. */
  secrets: Secrets
  /** Resolves DNS queries. */
  resolver: Resolver
  /** The keys and hosts of sending domains. */
  mailDomains: MailDomains
  /** Signs the addresses of return paths. */
  verp: VerpTokens
  /** Calls addresses that users supply. */
  outbound: Outbound
  log: Log
  /** The provider of each workspace. */
  providers: Providers
  settings: ServiceSettings
  /** Null when no test has set any. */
  failpoints: Failpoints | null
  /** Counts what this process does, for metrics; absent in commands. */
  counts?: WorkCounts
  /** Receives each mail that left for a host outside. */
  onDeparture?: (mail: { fromDomain: string; destination: string }) => void
  /** Present where the operator collects traces. */
  tracer?: Tracer
  /** Wakes workers because a lane has work: those of this process at once, others soon. */
  wake(hint: WakeUp): void
}

export interface WorkCounts {
  /** A recipient was claimed whose hand-off does not begin. */
  claimed(lane: HandOffEnd['lane']): void
  /** An attempt has ended. */
  handedOff(end: HandOffEnd): void
  /** The outcome of a hand-off is known; `lost` where the row was no longer ours. */
  ended(outcome: string): void
}

/** A hand-off that ended, as metrics count it. */
export interface HandOffEnd {
  provider: string
  lane: 'transactional' | 'campaign'
  /** The domain of the recipient. */
  destination: string
  /** 1 at the first try. */
  attempt: number
  /** In the ledger's words. */
  outcome: string
}

/** Facts of a span as a collector shows them: never an address, a text or a secret. */
export interface SpanFacts {
  attributes: Record<string, string | number | boolean>
  isFailed: boolean
  /** In place of the name that it began with. */
  name?: string
}

/** Records what the process does as spans of a trace. */
export interface Tracer {
  /**
   * Does the work as a span; spans that begin within are its children. `parent`: the `traceparent`
   * of a caller (W3C Trace Context). `describe` receives the result. Rejects as `work` does.
   */
  span<T>(
    about: { name: string; kind: 'server' | 'client'; parent?: string | undefined },
    work: () => Promise<T>,
    describe: (result: T) => SpanFacts,
  ): Promise<T>
}

/**
 * The result of one call among those that shared a statement: its verdict, or the error that
 * concerns it alone.
 */
export type AdmissionEnd = AdmissionResult | { error: unknown }

/** One mail that this process works on, counted. */
export interface UnderWay {
  /** The hand-off begins: its outcome is to come. */
  handOff(): void
  /**
   * Call it right before the outcome is recorded, so that no other outcome is recorded between the
   * two.
   */
  handedOff(): void
  ended(): void
}

/** A claimed row, and how to compose its mail. */
export interface HandOffRow extends LeasedRow {
  workspaceId: number
  attempt: number
  /** When its lease was requested, on the monotonic clock. */
  requestedAtMs: number
  recipient: string
  returnPath: string
  notify?: Envelope['notify']
  /** Header lines that the mail of this recipient alone has, each with its CRLF. */
  headers: string
  fromDomain: string
  compose: () => ComposedMessage | Promise<ComposedMessage>
  /**
   * Called when the provider has taken the mail, before that is recorded; not while many others
   * wait to be recorded.
   */
  onTaken?: () => void
  /** Counted since it was claimed. Absent means since its hand-off begins. */
  mail?: UnderWay
}

/** A campaign to send, and the functions that its batch sender needs. */
export interface BatchSenderOptions {
  campaign: CampaignKey
  fromDomain: string
  /** Makes one recipient's copy, with its return path. */
  fill(row: ClaimedSubscriber): Pick<Envelope, 'bytes' | 'utf8' | 'returnPath' | 'notify'>
  /**
   * Takes up to `count` slots and permits of the provider. `release` returns them when the
   * provider counts the `started` ones itself.
   */
  slots: { take(count: number): Promise<number>; release(count: number, started: number): void }
  /**
   * Up to when its strays were claimed, by this batch sender and by earlier ones of the process.
   */
  strays: ScanMark
  /** Receives the outcome of each hand-off, in the ledger's words. */
  onEnd(outcome: string): void
}

/** One process's part in sending a campaign. */
export interface CampaignBatchSender {
  /**
   * Resolves when nothing is left to claim now, or it was stopped, and all claimed recipients have
   * recorded outcomes.
   */
  ended: Promise<void>
  /** Envelopes at the provider. */
  readonly underWay: number
  /**
   * Sets how many envelopes may be at the provider at once; with 0, the initial value, nothing is
   * claimed.
   */
  setShare(share: number): void
  /** Stops claiming; ends when the outcomes under way are recorded. */
  stop(): void
}

/** Limits campaigns while their domain is warmed up. */
export interface WarmUps {
  /** Returns how many of `count` mails of a campaign may leave now. */
  take(key: WarmUpKey, count: number): Promise<number>
  /** Gives back the part of a grant that did not leave. */
  giveBack(key: WarmUpKey, count: number): void
  /** Counts a single mail that left. */
  count(key: WarmUpKey): void
}

/**
 * The shared parts of sending: statements that concurrent callers share, and the rows that this
 * process holds.
 */
export interface Sending {
  /** Calls that wait for their admission; `admit()` joins them. */
  admissions(workspaceId: number, unit: AdmissionUnit): Promise<AdmissionEnd>
  /** Counts a mail that will ask for its admission once it has come whole. */
  expect(workspaceId: number): Pick<UnderWay, 'ended'>
  /** Hands a claimed row over. Returns the recorded event; null when the row was no longer ours. */
  handOff(row: HandOffRow): Promise<OutcomeRow['event'] | null>
  /**
   * Counts a claimed mail before its hand-off: the outcomes of one claim wait for each other, and
   * are one statement.
   */
  count(workspaceId: number): UnderWay
  /** Returns a claimed row before its hand-off began. */
  returnRow(row: HandOffRow): Promise<OutcomeRow['event'] | null>
  /** Starts this process's batch sender of a campaign. */
  openBatchSender(options: BatchSenderOptions): CampaignBatchSender
  /**
   * Until when this process counts as busy with single mails, since it admitted or handed one over:
   * campaigns leave it most of the time. On the monotonic clock.
   */
  singles: { untilMs: number }
  /**
   * Rows that this process holds now, including those of campaigns; of all workspaces or of the
   * selected ones.
   */
  leasedCount(isIncluded?: (workspaceId: number) => boolean): number
  /** How many of `count` single messages of a workspace may leave now. */
  takeRate(workspaceId: number, count: number): Promise<number>
  warmUps: WarmUps
}

/** A call with a key of a workspace, for its log. */
export interface WorkspaceCall extends Omit<LoggedCall, 'id' | 'calls'> {
  workspaceId: number
  /** When it came, in milliseconds since 1970. */
  atMs: number
}

/** Since the start of the process. */
export interface RequestLogCounts {
  stored: number
  /** Calls without a row of their own: a stored row stands for them. */
  sampled: number
  /** Rows that were not written: too many waited while the database was away. */
  dropped: number
}

/** The log of calls. */
export interface RequestLog {
  /** Leaves a call to be written behind its answer. */
  record(call: WorkspaceCall): void
  counts(): RequestLogCounts
  /** Writes the rows that wait. */
  flush(): Promise<void>
}

/** Work of this process that continues after an answer. */
export interface BackgroundTasks {
  /** Starts the work; `stopping` is aborted when it should end soon. */
  begin(work: (stopping: AbortSignal) => Promise<void>): void
  /** Asks all work to end; resolves when it has. */
  end(): Promise<void>
}

/** The context of entry points and workers. */
export interface Service extends Context {
  /**
   * The services of all databases. Work for another workspace uses those of its database:
   * `ofWorkspace(ctx, workspaceId)`.
   */
  databases: Databases<Service>
  sending: Sending
  captureWaits: CaptureWaits
  fetchSlots: FetchSlots
  passwords: Passwords
  backgroundTasks: BackgroundTasks
  requestLog: RequestLog
}

/** The signed-in user and their role in the workspace; a viewer for calls outside workspaces. */
export interface SignedIn {
  id: string
  email: string
  role: Role
  sessionId: string
}

/**
 * Waits for so many bytes of the process's memory for bodies, and returns what releases them; null
 * when they were not free in time.
 */
export type ReserveMemory = (bytes: number) => Promise<(() => void) | null>

/** The origin of a call, as evidence stores it. */
export interface RequestOrigin {
  address: string
  userAgent: string
}

/** The context of a call: the service, the workspace, and the API key or the user. */
export interface CallContext extends Service {
  workspaceId: number
  /** For a user's call the id, name and prefix are empty. */
  apiKey: { id: string; name: string; prefix: string; scopes: string[] }
  /**
   * Counts further requests against the rate of the caller's key; answers the refusal of each, null
   * where it passes. Absent for users.
   */
  countMore?: (requests: number) => Promise<(ApiError | null)[]>
  /** Null for a program with its key, and for a visitor who is about to sign in. */
  user: SignedIn | null
  /**
   * Present: the operator calls from their page of captured mail, of one workspace or (0) of all.
   * `byToken`: their browser gave the token.
   */
  operator?: { byToken: boolean } | undefined
  requester: RequestOrigin
  /** Aborted when the caller has closed the connection; absent where no connection is ours. */
  left?: (() => AbortSignal) | undefined
  /** Absent where no entry point counts memory. */
  reserveMemory?: ReserveMemory | undefined
  /** The language of the answer's texts. */
  language: Language
}

/** Whether a program calls with its key, and no user or command of the operator. */
export const isByKey = ({ apiKey }: Partial<Pick<CallContext, 'apiKey'>>): boolean =>
  (apiKey?.id ?? '') !== ''
