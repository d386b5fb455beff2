/** Splits a list of names, such as elements or attributes, that is too long to read as an array. */
export const words = (text: string): string[] => text.trim().split(/\s+/)

export const wordSet = (text: string): ReadonlySet<string> => new Set(words(text))
