/**
 * Reads the flags of `provider set` into a provider's settings; which flags there are follows from
 * the registry.
 */
import type { ProviderName } from '../../../ground/provider-names.ts'
import type { ProviderChoice, ProviderKind } from '../../../providers/provider-kind.ts'
import { isProviderName, providerKinds } from '../../../providers/registry.ts'
import type { StoredProvider } from '../../../providers/stored-provider.ts'
import { textFlag } from '../parameters.ts'
import { CommandRefusal } from '../refusal.ts'

export const providerTypes: ProviderName[] = Object.keys(providerKinds).filter(isProviderName)

const kinds: [ProviderName, ProviderKind][] = providerTypes.map((type) => [
  type,
  providerKinds[type],
])

/** The settings of all kinds, each once, with the kind that it is for. */
export const settingFlags = Object.fromEntries(
  kinds.flatMap(([type, { settings }]) =>
    settings.map(({ flag, value, text }) => [flag, textFlag(value, `${type}: ${text}`)] as const),
  ),
)

interface SetFlags {
  type: ProviderName
  rate: number | null
  'secret-env': string | null
  'secret-file': string | null
  /** The settings, by their flags. */
  texts: Readonly<Record<string, string | null>>
}

/** A flag of another kind of provider is refused: it would be ignored silently. */
export function toStored({
  type,
  rate: ratePerSecond,
  texts,
  ...secrets
}: SetFlags): StoredProvider {
  const kind = providerKinds[type]
  const own = new Set(kind.settings.map(({ flag }) => flag))
  for (const [other, { settings }] of kinds)
    for (const { flag } of settings)
      if (!own.has(flag) && (texts[flag] ?? null) !== null)
        throw new CommandRefusal('usage', `--${flag} is for ${other}, not for ${type}.`)
  const hasSecret = secrets['secret-env'] !== null || secrets['secret-file'] !== null
  if (hasSecret && !kind.secret) throw new CommandRefusal('usage', `${type} has no secret.`)
  const settings = Object.fromEntries(
    kind.settings.map(({ name, flag }) => [name, texts[flag] ?? null]),
  )
  orRefuse(() => kind.checkFlags?.(settings))
  return { type, ratePerSecond, settings }
}

/** The flag of a provider's setting, or those of its secret. */
export const flagOf =
  (type: ProviderName) =>
  (name: string): string => {
    const { settings } = providerKinds[type]
    const flag = settings.find((setting) => setting.name === name)?.flag
    return flag === undefined ? '--secret-env or --secret-file' : `--${flag}`
  }

/** The stored settings, opened. @throws Refusal that names the wrong flag. */
export const readStoredProvider = (
  { type, settings }: StoredProvider,
  secret: string | null,
): ProviderChoice => orRefuse(() => providerKinds[type].read(settings, secret, flagOf(type)))

function orRefuse<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new CommandRefusal('usage', error instanceof Error ? error.message : String(error))
  }
}
