/** What every verb is given: the database, the clock, the provider and the settings. Nothing of it is imported by verbs. */
import type { Clock } from '../clock.ts'
import type { Language } from '../contract/errors.ts'
import type { Role } from '../contract/roles.ts'
import type { AdmissionResult, AdmissionUnit } from '../db/sending/admissions.ts'
import type { CampaignKey, ClaimedSubscriber } from '../db/campaigns/campaign-claims.ts'
import type { HeldRow } from '../db/sending/claims.ts'
import type { Connection } from '../db/connection/connect.ts'
import type { DueLane } from '../db/sending/due.ts'
import type { OutcomeRow } from '../db/sending/outcomes.ts'
import type { WarmUpKey } from '../db/sending/warm-ups.ts'
import type { Resolver } from '../dns/lookup.ts'
import type { MakeId } from '../ids.ts'
import type { LinkTokens } from '../link-tokens.ts'
import type { ComposedMessage } from '../mail/mime/compose.ts'
import type { VerpTokens } from '../mail/reports/verp.ts'
import type { Envelope } from '../providers/provider.ts'
import type { Outbound } from '../outbound/create-outbound.ts'
import type { Providers } from '../providers/providers.ts'
import type { Secrets } from '../secrets.ts'
import type { MailDomains } from './mail-domain.ts'
import type { Passwords } from './passwords.ts'

/** The operator's numbers, all in the unit their name ends with. */
export interface ServiceSettings {
  /** Address that people and programs reach us by, without a slash at its end. */
  baseUrl: string
  language: Language
  /** The domain of return paths that no customer's own takes the place of; null: bounces go to the sender's address. */
  inboundDomain: string | null
  /** Where the MX of customers' return paths points to; null: bounces do not come to us. */
  bounceHost: string | null
  /** What customers' SPF records must let through, as its terms (`ip4:192.0.2.1`); none: it is not known what mail leaves from. */
  spf: readonly string[]
  inlineSeconds: number
  leaseSeconds: number
  retryFirstSeconds: number
  retryMaxSeconds: number
  queueLifeSeconds: number
  /** Silence that counts as delivery with a provider that gives no news; 0 is never. */
  deliveredAfterSeconds: number
  /** Whether a single message in doubt is repeated once, or held. */
  inDoubt: 'repeat' | 'hold'
  /** Octets that must stay free on the disk for intake to go on; null where the disk is not ours to watch. */
  diskFreeMin: number
}

export interface ServiceLog {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Named places where a test may kill, delay or break us; inert otherwise. */
export interface FailpointHits {
  hit(name: string): Promise<void> | undefined
  /** Whether a deliberately broken variant is asked for: the tests must catch it. */
  broken(name: string): boolean
}

export interface Context {
  db: Connection
  /** For counters that need not survive a crash: its commits do not wait for the disk. */
  countingDb: Connection
  clock: Clock
  makeId: MakeId
  linkTokens: LinkTokens
  /** What must be read again and may not lie open in the database. */
  secrets: Secrets
  /** Asks DNS. */
  resolver: Resolver
  /** Keys and hosts of the domains that mail is sent from. */
  mailDomains: MailDomains
  /** Signs addresses that mail comes back to. */
  verp: VerpTokens
  /** Calls what others name. */
  outbound: Outbound
  log: ServiceLog
  /** Which provider each workspace's mail leaves by. */
  providers: Providers
  settings: ServiceSettings
  failpoints: FailpointHits
  /** Tells workers, of this process at once and of others soon, that a lane has work. */
  wake(lane: DueLane): void
}

/** What admitting answers; `quota_exceeded` is the only verdict that the statement itself cannot give. */
export type Admission = AdmissionResult | { verdict: 'quota_exceeded' }

/** A claimed row and how to make its mail. */
export interface HandOffRow extends HeldRow {
  workspaceId: number
  attempt: number
  /** When its lease was asked for, on the monotonic clock. */
  askedAtMs: number
  recipient: string
  returnPath: string
  notify?: Envelope['notify']
  fromDomain: string
  compose: () => ComposedMessage | Promise<ComposedMessage>
}

/** A campaign to hand over, and what it leaves with. */
export interface BatchSenderOptions {
  campaign: CampaignKey
  fromDomain: string
  /** Makes one recipient's copy, and says where its news goes. */
  fill(row: ClaimedSubscriber): Pick<Envelope, 'bytes' | 'utf8' | 'returnPath' | 'notify'>
  /** Takes up to `wanted` places of the provider and of its rate; `release` once the provider counts them itself, `begun` of them. */
  places: { take(wanted: number): Promise<number>; release(count: number, begun: number): void }
  /** Told what each hand-off came to. */
  onEnd(outcome: string): void
}

/** One process's part in handing a campaign over. */
export interface CampaignBatchSender {
  /** Resolves when nothing is left to claim now, or it was stopped, and all that was claimed is recorded. */
  ended: Promise<void>
  /** Envelopes at the provider. */
  readonly underWay: number
  /** How many may be at the provider at once; 0, as at first: nothing is claimed. */
  setShare(share: number): void
  /** Claims nothing more; ends when what is under way is recorded. */
  stop(): void
}

/** Holds campaigns back while their domain is warmed up. */
export interface WarmUps {
  /** How many of `wanted` mails of a campaign may leave now. */
  take(key: WarmUpKey, wanted: number): Promise<number>
  /** So many of what was taken did not leave. */
  giveBack(key: WarmUpKey, count: number): void
  /** A single mail left. */
  count(key: WarmUpKey): void
}

/** The shared machinery of sending: statements that concurrent callers share, and the rows this process holds. */
export interface Sending {
  /** Admits one call's messages, in one transaction with whatever others ask at the same time. */
  admit(workspaceId: number, unit: AdmissionUnit): Promise<Admission>
  /** Hands a claimed row over; answers when the outcome is recorded, null when the row was no longer ours. */
  handOff(row: HandOffRow): Promise<OutcomeRow['event'] | null>
  /** Gives a claimed row back, not begun. */
  returnRow(row: HandOffRow): Promise<OutcomeRow['event'] | null>
  /** Begins this process's part in handing a campaign over. */
  openBatchSender(options: BatchSenderOptions): CampaignBatchSender
  /** Whether this process admitted or handed over a single mail just now: campaigns then leave it most of the time. */
  isBusyWithSingles(): boolean
  /** Rows that this process holds now, those of campaigns included; of all workspaces, or of those that are asked for. */
  held(isAskedFor?: (workspaceId: number) => boolean): number
  warmUps: WarmUps
}

/** Work of this process alone that goes on behind answers. */
export interface BackgroundTasks {
  /** Begins it; `stopping` is aborted when it is to end soon. */
  begin(work: (stopping: AbortSignal) => Promise<void>): void
  /** Asks all of it to end; resolves when it has. */
  end(): Promise<void>
}

/** What doors and workers are given. */
export interface Service extends Context {
  sending: Sending
  passwords: Passwords
  backgroundTasks: BackgroundTasks
}

/** Who is signed in, and what they are in the workspace that they act in; of the door `person`, where there is none, a viewer. */
export interface SignedIn {
  id: string
  email: string
  role: Role
  sessionId: string
}

/** Where a call came from, as evidence keeps it. */
export interface RequestOrigin {
  address: string
  userAgent: string
}

/** A call: the service, the workspace, and whose key it came with, or which person asks. */
export interface CallContext extends Service {
  workspaceId: number
  /** Of a person's call the id, name and prefix are empty. */
  apiKey: { id: string; name: string; prefix: string; scopes: string[] }
  /** Null: a program, by its key; or somebody who is about to sign in. */
  user: SignedIn | null
  requester: RequestOrigin
  /** The language that the caller asked for, for the texts of an answer. */
  language: Language
}
