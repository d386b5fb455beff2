/** The one way in which pages write dates. */

/** By the reader's locale. French says "1er décembre", which browsers do not know. */
export const sayDate = (
  date: Date,
  language: string,
  options: Intl.DateTimeFormatOptions,
): string =>
  new Intl.DateTimeFormat(language, options)
    .formatToParts(date)
    .map(({ type, value }) =>
      type === 'day' && value === '1' && language.startsWith('fr') ? '1er' : value,
    )
    .join('')
