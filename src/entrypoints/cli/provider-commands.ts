/** `facteur provider …`: a workspace's own provider, in place of the deployment's. */
import {
  findProvider,
  formerProviders,
  setProvider,
  unsetProvider,
  type OwnProvider,
} from '../../core/workspaces/set-provider.ts'
import type { StoredProvider } from '../../providers/stored-provider.ts'
import type { WorkspaceRow } from '../../db/workspaces/workspaces.ts'
import type { ProviderChoice, SettingTexts } from '../../providers/provider-kind.ts'
import { providerKinds } from '../../providers/registry.ts'
import type { CommandContext } from './command.ts'
import { checkProvider } from './doctor/check-deployment.ts'
import { failed, type Check } from './doctor/check.ts'
import { argument, flag } from './parameters.ts'
import {
  flagOf,
  providerTypes,
  readStoredProvider,
  settingFlags,
  toStored,
} from './provider/read-flags.ts'
import { providerReceivers } from './provider/receivers-command.ts'
import { readSecret, secretFlags } from './read-secret.ts'
import { CommandRefusal } from './refusal.ts'
import { printed, shownTime, type Result } from './result.ts'
import { readChoiceFlag } from './values.ts'
import { defineWorkspaceCommand } from './workspace-command.ts'

const setFlags = {
  type: {
    ...argument(`One of ${providerTypes.join(', ')}.`, readChoiceFlag(providerTypes)),
    value: 'T',
  },
  ...secretFlags,
  rate: flag('N', 'Messages a second at most; no limit where it is absent.', readRate),
} as const

type SetFlags = Parameters<typeof toStored>[0]

/** The flags that `provider set` received: its own, beside those of all kinds of providers. */
const storedOf = (flags: Omit<SetFlags, 'texts'>): StoredProvider =>
  toStored({ ...flags, texts: flags as SettingTexts })

const providerSet = defineWorkspaceCommand({
  name: 'provider set',
  summary: 'Give a workspace a provider of its own, in place of the deployment’s',
  note:
    'Every process goes by it within seconds; what is in flight ends where it began. The secret (the password of --url, or the secret access key, with the session token of a temporary key on a second line) is kept ' +
    'sealed, for this workspace alone, and never shown again. The provider is set even where it does not answer yet: its mail then waits, and the exit code is 1.',
  flags: { ...setFlags, ...settingFlags },
  examples: providerTypes.flatMap((type) => {
    const { example } = providerKinds[type]
    return example === undefined ? [] : `provider set --workspace acme --type ${type} ${example}`
  }),
  checkLine: (flags) => void storedOf(flags),
  run: async (ctx, flags) => {
    const { workspace } = ctx
    const secret = readSecret(ctx, flags['secret-env'], flags['secret-file'])
    const stored = storedOf(flags)
    const choice = readStoredProvider(stored, secret)
    await setProvider(ctx, {
      secrets: await ctx.openSecrets(),
      workspaceId: workspace.id,
      stored,
      secret,
    })
    const checks = await checkOne(ctx, choice, stored)
    const sentence = `Mail of ${workspace.slug} leaves by ${describe(stored)}, within seconds.`
    return printed(
      { ...toJson(workspace, stored, secret !== null), checks },
      [sentence, ...checks.map(describeCheck)].join('\n'),
      checks.some(({ status }) => status === 'problem'),
    )
  },
})

const providerShow = defineWorkspaceCommand({
  name: 'provider show',
  summary: 'Show the provider of a workspace’s mail, and whether it answers; never a secret',
  examples: ['provider show --workspace acme'],
  run: async (ctx) => {
    const { workspace } = ctx
    const [own, former] = await Promise.all([
      findProvider(ctx, workspace.id),
      formerProviders(ctx, workspace.id),
    ])
    const notices = former.map(
      ({ stored, acceptedUntil }) =>
        `Notices of ${describe(stored)} are accepted until ${shownTime(acceptedUntil)} UTC.`,
    )
    if (!own) return theDeployments(workspace, notices)
    const { stored, hasSecret, changedAt } = own
    const checks = await checkOwn(ctx, own)
    const lines = [
      `Mail of ${workspace.slug} leaves by ${describe(stored)} since ${shownTime(changedAt)} UTC.`,
      `Secret: ${hasSecret ? 'kept, sealed' : 'none'}. Rate: ${stored.ratePerSecond ?? 'no limit'}.`,
      ...notices,
      ...checks.map(describeCheck),
    ]
    return printed(
      { ...toJson(workspace, stored, hasSecret), changed_at: changedAt.toISOString(), checks },
      lines.join('\n'),
    )
  },
})

const providerUnset = defineWorkspaceCommand({
  name: 'provider unset',
  summary: 'Take a workspace’s own provider back: its mail leaves by the deployment’s',
  note:
    'Notices of mail that left by an account of Amazon SES are accepted for 14 days more, and its key is kept for that where there is a queue to ask; ' +
    'any other secret is erased at once.',
  flags: {
    erase: { text: 'Delete it whole: late feedback from its accounts is then ignored.' },
  },
  examples: ['provider unset --workspace acme', 'provider unset --workspace acme --erase'],
  run: async (ctx, { erase }) => {
    const { workspace } = ctx
    if (!(await unsetProvider(ctx, { workspaceId: workspace.id, erase })))
      return theDeployments(workspace, [])
    const [former] = await formerProviders(ctx, workspace.id)
    const sentence = `Mail of ${workspace.slug} leaves by the deployment's provider, within seconds.`
    const acceptedUntil = former?.acceptedUntil ?? null
    return printed(
      { ...idOf(workspace), type: null, heard_until: acceptedUntil?.toISOString() ?? null },
      acceptedUntil === null
        ? sentence
        : `${sentence}\nNotices of earlier mail are accepted until ${shownTime(acceptedUntil)} UTC; --erase ends that now.`,
    )
  },
})

function readRate(text: string): number {
  const rate = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && rate >= 0.001 && rate <= 1_000_000) return rate
  throw new CommandRefusal(
    'usage',
    `"${text}" is not a number of messages a second, from 0.001 to 1000000.`,
  )
}

async function checkOwn(ctx: CommandContext, own: OwnProvider): Promise<Check[]> {
  const choice = own.open(await ctx.openSecrets())
  if (typeof choice !== 'string') return checkOne(ctx, choice, own.stored)
  return [failed('provider', `cannot be opened: ${choice}`, 'Set it again: facteur provider set')]
}

/** Checks that the provider takes mail and, if it sends feedback, whether that reaches us. */
async function checkOne(
  ctx: CommandContext,
  choice: ProviderChoice,
  { ratePerSecond }: StoredProvider,
): Promise<Check[]> {
  const parts = {
    ...{
      clock: ctx.clock,
      outbound: ctx.outbound,
      signal: ctx.signal,
      baseUrl: ctx.settings.baseUrl,
    },
    nameOf: flagOf(choice.type),
  }
  const provider = await checkProvider(choice, { ...parts, ratePerSecond, rateSetting: '--rate ' })
  return choice.feedback
    ? [provider, await choice.feedback.check({ ...parts, db: ctx.db })]
    : [provider]
}

const describeCheck = ({ status, message, next }: Check): string =>
  `${status}: ${message}${next === null ? '' : `\n→ ${next}`}`

const describe = ({ type, settings }: StoredProvider): string =>
  providerKinds[type].describe?.(settings) ?? type

const theDeployments = (workspace: WorkspaceRow, more: string[]): Result =>
  printed(
    { ...idOf(workspace), type: null },
    [
      `${workspace.slug} has no provider of its own: its mail leaves by the deployment's.`,
      ...more,
    ].join('\n'),
  )

/** A workspace has at most one provider, so the workspace identifies it. */
const idOf = ({ id }: WorkspaceRow) => ({ id: String(id), workspace_id: String(id) })

const toJson = (
  workspace: WorkspaceRow,
  { type, ratePerSecond, settings }: StoredProvider,
  hasSecret: boolean,
) => ({
  ...idOf(workspace),
  type,
  settings,
  rate_per_second: ratePerSecond,
  has_secret: hasSecret,
})

export const providerCommands = [providerSet, providerShow, providerUnset, providerReceivers]
