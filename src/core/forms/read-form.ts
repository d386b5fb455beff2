/** Validates a form's definition: its texts, its fields and its colours. */
import { limits } from '../../contract/limits.ts'
import type { FormMail, FormRequest } from '../../contract/workspace/forms.ts'
import { settingLimits } from '../../contract/workspace/setting-limits.ts'
import type { FormAsk } from '../../db/forms/sign-up-forms.ts'
import { shapeError } from '../input/shape-error.ts'
import { lineOrNull, linesOrNull, mustBeLine } from '../input/validate-words.ts'
import type { NewForm } from './make-form.ts'

/** As given, or as stored. */
type GivenForm = Omit<FormRequest, 'mail'> & { mail?: FormMail | null }

/** Throws `validation_error`. `validateColours` checks the contrast. */
export const readForm = ({
  name,
  intro,
  consent,
  asks = [],
  tags = [],
  topics = [],
  colours = null,
  mail = null,
  language = null,
  origins = [],
  thanks_url: thanksUrl = null,
  confirmed_url: confirmedUrl = null,
}: GivenForm): Required<NewForm> => ({
  name: mustBeLine(name, { path: 'name', max: settingLimits.formNameMax }),
  intro: linesOrNull(intro, { path: 'intro', max: settingLimits.formWordsMax }),
  consent: linesOrNull(consent, { path: 'consent', max: settingLimits.formWordsMax }),
  asks: readAsks(asks),
  tags: [
    ...new Set(
      tags.map((tag, index) =>
        mustBeLine(tag, { path: `tags.${index}`, max: limits.subscriberTagMax }),
      ),
    ),
  ],
  topics: [...new Set(topics)],
  colours,
  mail: readFormMail(mail),
  language,
  origins: [...new Set(origins.map((text, index) => readOrigin(text, `origins.${index}`)))],
  thanksUrl: readOwnPage(thanksUrl, 'thanks_url'),
  confirmedUrl: readOwnPage(confirmedUrl, 'confirmed_url'),
})

/**
 * As browsers spell it in `Origin` (RFC 6454 6.2): in lower case, without the scheme's own port. A
 * path, a wildcard and `null` are none.
 */
function readOrigin(text: string, path: string): string {
  const url = URL.parse(text.trim())
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  const isAlone = url?.href === `${url?.origin}/` && !/[?#*]/.test(text)
  if (!url || !isWeb || !isAlone) throw shapeError([{ path, rule: 'origin' }])
  return url.origin
}

function readOwnPage(text: string | null, path: string): string | null {
  if (text === null || text.trim() === '') return null
  const url = URL.parse(text.trim())
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '')
    throw shapeError([{ path, rule: 'https_url' }])
  return url.href
}

function readAsks(asks: FormAsk[]): FormAsk[] {
  return asks.map(({ field, label }, index) => {
    if (asks.findIndex((ask) => ask.field === field) < index)
      throw shapeError([{ path: `asks.${index}.field`, rule: 'twice' }])
    const location = { path: `asks.${index}.label`, max: settingLimits.formLabelMax }
    return {
      field,
      label:
        lineOrNull(label, location) ??
        (field.startsWith('fields.') ? field.slice('fields.'.length) : null),
    }
  })
}

/** Returns null when all texts are ours. */
export function readFormMail(mail: FormMail | null): FormMail | null {
  const subject = lineOrNull(mail?.subject, {
    path: 'mail.subject',
    max: settingLimits.formSubjectMax,
  })
  const text = linesOrNull(mail?.text, { path: 'mail.text', max: settingLimits.formMailTextMax })
  const button = lineOrNull(mail?.button, { path: 'mail.button', max: settingLimits.formButtonMax })
  return subject === null && text === null && button === null ? null : { subject, text, button }
}
