/** What a refusal adds to its message where the commonest mistake is known, in both languages. */
export const hints = {
  content_type: {
    fr: 'Envoyez du JSON, avec « Content-Type: application/json ».',
    en: 'Send JSON, with "Content-Type: application/json".',
  },
  html_or_text: {
    fr: 'Donnez « html » ou « text ».',
    en: 'Give `html` or `text`.',
  },
  // The `template` of other services is the commonest reason for an empty body.
  template: {
    fr: "« template » n'existe pas ici : donnez « html » ou « text ».",
    en: '`template` is not known here: give `html` or `text`.',
  },
  one_content: {
    fr: 'Donnez un contenu et un seul : « text », « content » ou « html ».',
    en: 'Give one content and no more: `text`, `content` or `html`.',
  },
  date_time: {
    fr: 'Écrivez la date selon la RFC 3339, par exemple 2026-12-24T08:00:00Z.',
    en: 'Write the time as RFC 3339 has it, such as 2026-12-24T08:00:00Z.',
  },
  post_only: {
    fr: "Cette adresse ne répond qu'à POST.",
    en: 'This address answers POST alone.',
  },
} as const satisfies Record<string, { fr: string; en: string }>

export type Hint = keyof typeof hints

export const isHint = (value: unknown): value is Hint => typeof value === 'string' && Object.hasOwn(hints, value)
