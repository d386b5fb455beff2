/** The language of the installation: the setting's, or the one that its first start chose. */
import type { Config, ConfigLanguage } from '../config.ts'
import type { Database } from '../db/connection/connect.ts'
import { installationLanguage } from '../db/connection/installation.ts'

/** Before the first start, a command uses the language that the start would choose. */
export const openLanguage = async (config: Config, db: Database): Promise<ConfigLanguage> =>
  config.language ?? (await installationLanguage(db)) ?? languageOfNew(config).language

/** The setting, then the locale of the environment; French where neither names one of ours. */
export function languageOfNew({ language, locale }: Config): { language: ConfigLanguage; from: string | null } {
  if (language !== null) return { language, from: `FACTEUR_LANGUAGE=${language}` }
  return locale ?? { language: 'fr', from: null }
}
