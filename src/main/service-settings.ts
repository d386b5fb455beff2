/**
 * The settings that verbs need, and what derives from them: the language, and the records of
 * customers' domains.
 */
import type { Config } from '../ground/config.ts'
import type { Language } from '../ground/texts/languages.ts'
import type { ServiceSettings } from '../core/context.ts'
import type { Database } from '../database/client/database.ts'
import { submissionAddress } from '../core/submission-ports.ts'
import { installationLanguage } from '../database/schema/installation.ts'
import { deliveryWayOf, providerKinds } from '../providers/registry.ts'
import { readPostmasterAccount } from './open-postmaster.ts'

export async function settingsOf(config: Config, db: Database): Promise<ServiceSettings> {
  const {
    baseUrl,
    inlineSeconds,
    leaseSeconds,
    retryFirstSeconds,
    retryMaxSeconds,
    queueLifeSeconds,
  } = config
  const {
    deliveredAfterSeconds,
    heloName,
    inboundDomain,
    inDoubt,
    requestLogPerSecond,
    sourceAddresses,
  } = config
  const kind = providerKinds[config.provider]
  return {
    // Before the first start, a command uses the language that the start would choose.
    language: config.language ?? (await installationLanguage(db)) ?? languageOfNew(config).language,
    ...{
      baseUrl,
      inlineSeconds,
      leaseSeconds,
      retryFirstSeconds,
      retryMaxSeconds,
      queueLifeSeconds,
    },
    ...{
      deliveredAfterSeconds,
      heloName: heloName ?? null,
      inboundDomain,
      inDoubt,
      requestLogPerSecond,
      sourceAddresses,
    },
    way: deliveryWayOf(config.provider),
    submission: submissionAddress(config),
    postmasterAddress: postmasterAddress(config),
    spf: config.spf ?? kind.spfTerms(config),
    bounceHost: kind.bounceHost?.(config) ?? inboundHost(config),
    // The operator of an external database watches its disk.
    diskFreeMin: config.databaseUrl === null ? config.diskFreeMin : 0,
  }
}

/** The setting, then the locale of the environment; French where neither names one of ours. */
export function languageOfNew({ language, locale }: Config): {
  language: Language
  from: string | null
} {
  if (language !== null) return { language, from: `FACTEUR_LANGUAGE=${language}` }
  return locale ?? { language: 'fr', from: null }
}

/**
 * Commands that need no account work without its file too; a start refuses a file that cannot be
 * read.
 */
function postmasterAddress(config: Config): string | null {
  try {
    return readPostmasterAccount(config)?.account.email ?? null
  } catch {
    return null
  }
}

/** An MX record names a host with an address (RFC 2181 10.3): ours in EHLO is one. */
const inboundHost = ({ inboundDomain, heloName }: Config): string | null =>
  inboundDomain === null ? null : (heloName ?? inboundDomain)
