/** A draft holds a form while the user writes it; `requestOf` makes the request from it. */
import type { Form, FormColours, FormRequest } from '../../../../src/contract/workspace/forms.ts'

export interface DraftAsk {
  /** The entry keeps this key when the user moves it. */
  key: string
  kind: 'firstName' | 'lastName' | 'field'
  /** The name of a custom field. */
  name: string
  label: string
}

export interface FormDraft {
  name: string
  intro: string
  consent: string
  asks: DraftAsk[]
  tags: string[]
  /** Identifiers. */
  topics: string[]
  ownColours: boolean
  colours: FormColours
  mail: { subject: string; text: string; button: string }
  /** Null means the visitor's. */
  language: Form['language']
  origins: string[]
  thanks_url: string
  confirmed_url: string
}

const ourColours: FormColours = { background: '#ffffff', text: '#1b2430', button: '#1d5fd1' }

export const emptyDraft = (name: string): FormDraft => ({
  ...{
    name,
    intro: '',
    consent: '',
    asks: [],
    tags: [],
    topics: [],
    ownColours: false,
    colours: ourColours,
  },
  mail: { subject: '', text: '', button: '' },
  language: null,
  ...{ origins: [], thanks_url: '', confirmed_url: '' },
})

export const draftOf = ({
  name,
  intro,
  consent,
  asks,
  tags,
  topics,
  colours,
  mail,
  language,
  origins,
  thanks_url: thanks,
  confirmed_url: confirmed,
}: Form): FormDraft => ({
  ...{ name, intro: intro ?? '', consent: consent ?? '', tags, topics },
  asks: asks.map(({ field, label }) => draftAsk(field, label ?? '')),
  ownColours: colours !== null,
  colours: colours ?? ourColours,
  mail: { subject: mail.subject ?? '', text: mail.text ?? '', button: mail.button ?? '' },
  language,
  ...{ origins, thanks_url: thanks ?? '', confirmed_url: confirmed ?? '' },
})

function draftAsk(field: string, label: string): DraftAsk {
  if (field === 'firstName' || field === 'lastName')
    return { key: field, kind: field, name: '', label }
  const name = field.replace(/^fields\./, '')
  return { key: field, kind: 'field', name, label: label === name ? '' : label }
}

/** A preview leaves out fields without a name; a save refuses them. */
export const requestOf = (draft: FormDraft, isPreview = false): FormRequest => ({
  name: isPreview && draft.name.trim() === '' ? '…' : draft.name,
  ...{ intro: draft.intro, consent: draft.consent, tags: draft.tags },
  topics: draft.topics,
  asks: draft.asks
    .filter(
      ({ kind, name }) => !isPreview || kind !== 'field' || /^[a-z][a-z0-9_]{0,59}$/.test(name),
    )
    .map(({ kind, name, label }) => ({ field: kind === 'field' ? `fields.${name}` : kind, label })),
  colours: draft.ownColours ? draft.colours : null,
  mail: draft.mail,
  language: draft.language,
  // The preview shows none of them, and refuses none that is half typed.
  ...(!isPreview && {
    origins: draft.origins,
    thanks_url: draft.thanks_url,
    confirmed_url: draft.confirmed_url,
  }),
})
