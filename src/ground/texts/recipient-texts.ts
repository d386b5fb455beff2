/**
 * Everything that recipients see in words of ours: hosted pages, the confirmation mail, the footer
 * of campaigns. One JSON file per language, as in texts.ts.
 */
import type { RecipientLanguage } from './languages.ts'
import de from './recipients/de.json' with { type: 'json' }
import en from './recipients/en.json' with { type: 'json' }
import es from './recipients/es.json' with { type: 'json' }
import fr from './recipients/fr.json' with { type: 'json' }
import it from './recipients/it.json' with { type: 'json' }
import nl from './recipients/nl.json' with { type: 'json' }
import pt from './recipients/pt.json' with { type: 'json' }
import { withKeysOf } from './with-keys-of.ts'

export type RecipientTexts = typeof en

const same = withKeysOf<RecipientTexts>()

export const recipientTexts: Record<RecipientLanguage, RecipientTexts> = {
  en,
  fr: same(fr),
  de: same(de),
  es: same(es),
  it: same(it),
  nl: same(nl),
  pt: same(pt),
}
