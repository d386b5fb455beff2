/** Compares without case and accents. */
const plain = (text: string): string =>
  text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()

/** Whether each word of `query` stands in `label`. */
export const matches = (query: string, label: string): boolean =>
  plain(query)
    .split(/\s+/)
    .every((word) => plain(label).includes(word))
