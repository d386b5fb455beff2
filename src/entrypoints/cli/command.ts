/**
 * The type of a command: one entry of the table from which parsing, help and reference are derived.
 */
import type { Clock } from '../../ground/clock.ts'
import type { Config } from '../../ground/config.ts'
import type { Context, ServiceSettings } from '../../core/context.ts'
import type { Log } from '../../ground/log.ts'
import type { Database } from '../../database/client/database.ts'
import type { Resolver } from '../../ground/dns/lookup.ts'
import type { LinkTokens } from '../../ground/link-tokens.ts'
import type { Outbound } from '../../ground/outbound/create-outbound.ts'
import type { ProviderChoice } from '../../providers/provider-kind.ts'
import type { Secrets } from '../../ground/secrets.ts'
import type { Result } from './result.ts'

/**
 * A word of the line that is a value: `read` validates it and throws `Refusal` with code `usage`.
 */
export interface Parameter<T> {
  /** Its description, for help and reference. */
  text: string
  required: boolean
  read: (text: string) => T
}

/** An argument has its place in the line; a flag is `--name VALUE`, and shows `value` for it. */
export type Argument<T> = Parameter<T>
export type Flag<T> = Parameter<T> & {
  value: string
  /** May be given several times: its values are a list, empty when it is absent. */
  many?: true
}

/** A flag without a value. */
export interface Switch {
  text: string
}

/** Values from main: commands never read the environment or open anything by themselves. */
export interface Surroundings {
  /** The name by which the operator started the program: hints use it. */
  program: string
  /** Replaces the program's name in the hints of a text; printed texts have it done already. */
  spell(text: string): string
  /**
   * Throws `OperatorError` with a line for each setting that cannot be read. `until`: where a move
   * to this target began.
   */
  readConfig(until?: { url: string } | { folder: string } | null): Config
  /**
   * The same without throwing: `problems` are settings that cannot be read, `refused` those that
   * cannot be used.
   */
  surveySettings(): Promise<{ config: Config; problems: string[]; refused: string[] }>
  /**
   * Provides a database during `work`: an external one, the running service's, or one started for
   * it. It may lack migrations. Failures to connect are errors in the operator's words. Throws
   * `OperatorError` for a data folder whose restore did not end, unless the command is that
   * restore.
   */
  withDatabase<T>(
    config: Config,
    progress: (text: string) => void,
    work: (connectionString: string) => Promise<T>,
    options?: { isRestore: boolean },
  ): Promise<T>
  settingsOf(config: Config, db: Database): Promise<ServiceSettings>
  /**
   * Throws `OperatorError` if another key sealed the database, or it is not in use; called before
   * any migration. `takesSwitchedCopy`: the command puts into use a copy whose switch may not have
   * been decided.
   */
  checkMasterKey(
    config: Config,
    connectionString: string,
    options?: { takesSwitchedCopy: boolean },
  ): Promise<void>
  /**
   * For `database copy`: the target as the processes of the service read it, and as the next start
   * of this data folder does.
   */
  sealTarget(secrets: Secrets, target: { url: string } | { folder: string }): Buffer
  writeMove(config: Config, target: { url: string } | { folder: string }): void
  openOutbound(config: Config): Outbound
  /** Throws `OperatorError` when the master key is missing, or is not the one of this database. */
  openSecrets(config: Config, db: Database): Promise<Secrets>
  openResolver(config: Config): Resolver
  /** The deployment's provider; throws `OperatorError` when a setting cannot be used. */
  readProviderSettings(config: Config): ProviderChoice
  /** An environment variable that the operator named; null when it is absent or empty. */
  readVariable(name: string): string | null
  clock: Clock
  stdout: NodeJS.WritableStream
  stderr: NodeJS.WritableStream
  /** Aborted by Ctrl-C: long lists end, everything else completes. */
  signal: AbortSignal
  /** Receives a few words about each step that takes time. */
  progress(text: string): void
  meter: Meter
}

/** Shows the progress of long work. */
export interface Meter {
  /** One line that changes, on a terminal; elsewhere a line of its own each time. */
  show(text: string): void
  /** Clears the changing line. */
  clear(): void
  /** Whether `show` changes one line: then it may be called often. */
  changes: boolean
}

/** The context of the core's operations. */
export type CommandContext = Pick<
  Context,
  'databaseId' | 'db' | 'clock' | 'makeId' | 'failpoints' | 'settings' | 'wake'
> & {
  /**
   * Commands that show personal links ask for it: it needs the master key, and other commands work
   * without one.
   */
  openLinkTokens(): Promise<LinkTokens>
  readVariable(name: string): string | null
  /** Commands that make or read secrets ask for it. */
  openSecrets(): Promise<Secrets>
  resolver: Resolver
  log: Log
  outbound: Outbound
  /**
   * This context with the tables of a cell, by `WorkspaceRow.databaseId`: what is about one
   * workspace takes place there.
   */
  inCell(cell: number): Promise<CommandContext>
  /** One for each cell, for what is about all workspaces. */
  inCells(): Promise<CommandContext[]>
  /** Whether the mail of a workspace of this context's cell stays in the capture mailbox. */
  captures(workspaceId: number): Promise<boolean>
  /** Aborted by Ctrl-C. */
  signal: AbortSignal
  meter: Meter
}

export interface Command {
  /** One or two words. */
  name: string
  /** Its effect, as a sentence without its dot. */
  summary: string
  /** Further notes for the user; absent when there are none. */
  note?: string
  arguments: Record<string, Argument<unknown>>
  flags: Record<string, Flag<unknown> | Switch>
  /** Lines without `facteur`. */
  examples: string[]
  run(
    surroundings: Surroundings,
    input: Record<string, unknown>,
    print: (result: Result) => Promise<number>,
  ): Promise<number>
}

type ValueOf<P> = P extends { read: (text: string) => infer T; many: true }
  ? T[]
  : P extends { read: (text: string) => infer T; required: infer R }
    ? R extends true
      ? T
      : T | null
    : boolean

export type Arguments = Command['arguments']
export type Flags = Command['flags']
export type CommandInput<A, F> = { [N in keyof A]: ValueOf<A[N]> } & {
  [N in keyof F]: ValueOf<F[N]>
}

/** A command as its author sees it: typed by its own arguments and flags. */
export interface Described<A, F, Input = CommandInput<A, F>> extends Pick<
  Command,
  'name' | 'summary' | 'note' | 'examples'
> {
  /** Absent if there is none. */
  arguments?: A
  flags?: F
  /** Checks conditions between values before anything is opened; throws `Refusal`. */
  checkLine?(input: Input): void
}

export type Runs<Ctx, Input> = { run(ctx: Ctx, input: Input): Result | Promise<Result> }

/**
 * `open` gives the context, which stays open until the result is printed: lists are read page by
 * page.
 */
export function buildCommand<A extends Arguments, F extends Flags, Ctx>(
  described: Described<A, F> & Runs<Ctx, CommandInput<A, F>>,
  open: (surroundings: Surroundings, work: (ctx: Ctx) => Promise<number>) => Promise<number>,
): Command {
  return {
    arguments: {},
    flags: {},
    ...described,
    run: async (surroundings, input, print) => {
      // parse.ts fills every argument and flag by its own `read`. A missing value is null, or false
      // for a switch.
      const parsed = input as CommandInput<A, F>
      described.checkLine?.(parsed)
      return open(surroundings, async (ctx) => print(await described.run(ctx, parsed)))
    },
  }
}

/** A command that opens what it needs itself. */
export const defineCommand = <const A extends Arguments = {}, const F extends Flags = {}>(
  described: Described<A, F> & Runs<Surroundings, CommandInput<A, F>>,
): Command => buildCommand(described, (surroundings, work) => work(surroundings))
