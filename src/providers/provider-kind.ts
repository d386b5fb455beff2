/**
 * Describes a kind of provider: what its folder gives `registry.ts`, from which all else derives
 * (CONTRIBUTING: A provider).
 *
 * 1. A kind reads settings, of the deployment or of one workspace, into a choice.
 * 2. The choice opens the provider, checks it, and names the account whose notices come.
 */
import type { Config } from '../ground/config.ts'
import type { ProviderName } from '../ground/provider-names.ts'
import type { Relay } from '../mail/smtp-client/relay.ts'
import type { Check, CheckParts, FeedbackCheckParts } from './provider-check.ts'
import type { FeedbackAccount, ProviderParts } from './provider-parts.ts'
import type { Provider } from './provider.ts'

export interface ProviderKind {
  /** Mail stays in the capture mailbox, and none leaves. */
  captures?: true
  /** It connects to the recipients' mail hosts itself, by port 25. */
  dialsHosts?: true
  /** The settings of a workspace's own provider, in the order of their storage. */
  settings: readonly ProviderSetting[]
  /** The variable of its secret, such as a password. Absent if it has no secret. */
  secret?: { name: string; variable: string }
  /** The flags of `provider set` in an example. Absent if there is none. */
  example?: string
  /** Checks the values of flags alone, before anything is opened. @throws Error with one line. */
  checkFlags?(texts: SettingTexts): void
  /**
   * Reads a workspace's own; `nameOf` is a setting's name in its source.
   * @throws Error with one line that names the problem, and never contains a secret.
   */
  read(
    texts: SettingTexts,
    secret: string | null,
    nameOf: (setting: string) => string,
  ): ProviderChoice
  /** Reads the deployment's. @throws Error as `read` does. */
  readDeployment(config: Config): ProviderChoice
  /** In the sentence "Mail leaves by …". Absent means its name. */
  describe?(texts: SettingTexts): string
  /** Terms of SPF (RFC 7208 5) that cover the sources of mail; empty if they are unknown. */
  spfTerms(config: Config): string[]
  /**
   * The provider's own host as MX of return paths, because it receives their bounces itself. Null
   * if there is none.
   */
  bounceHost?(config: Config): string | null
  /** Feedback that comes neither by mail nor in the answer. Absent if there is none. */
  feedback?: FeedbackOfKind
}

/** A setting as the operator writes it, with its name as it is stored. */
export interface ProviderSetting {
  name: string
  variable: string
  /** Without its dashes. */
  flag: string
  /** Stands for the value in help. */
  value: string
  text: string
}

/** By the names of settings. Null means absent. Nothing of it is secret. */
export type SettingTexts = Readonly<Record<string, string | null>>

export interface FeedbackOfKind {
  /**
   * Where notices of such an account arrive, the same for two accounts that share it. Null means
   * nowhere.
   */
  placeOf(texts: SettingTexts): string | null
  /**
   * A workspace's account that its mail left by before. @throws Error as `ProviderKind.read` does.
   */
  readFormer(texts: SettingTexts, secret: string | null): FeedbackAccount
  /**
   * The deployment's account that mail left by before, when another provider is chosen. Null if
   * there is none.
   * @throws Error as above.
   */
  readFormerDeployment(config: Config): FeedbackAccount | null
}

/** The settings, read and checked, secrets included. */
export interface ProviderChoice {
  type: ProviderName
  open(ports: ProviderParts): Provider
  /** Checks that mail can leave by it, and sends nothing. */
  check(parts: CheckParts): Promise<Check>
  /** The account whose notices come, with a check whether they reach us. Null if there is none. */
  feedback: { account: FeedbackAccount; check(parts: FeedbackCheckParts): Promise<Check> } | null
  /** The SMTP server that takes all mail. Null if there is none. */
  relay: Relay | null
}
