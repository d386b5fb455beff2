/** Defines the limits of users' work with the audience. */
export const audienceLimits = {
  fieldKeyMax: 60,
  fieldLabelMax: 60,
  /** The values that a choice may have, and their length. */
  fieldChoicesMax: 200,
  fieldChoiceMax: 100,
  /** The length of a consent statement. */
  consentWordsMin: 3,
  consentWordsMax: 2_000,
  /** Bytes of an import file, and how many files a workspace may store at once. */
  importFileBytes: 200 * 1024 * 1024,
  importFilesMax: 10,
  importColumnsMax: 200,
  fileNameMax: 255,
  /** Bytes of a file of addresses to suppress. */
  suppressionFileBytes: 100 * 1024 * 1024,
  /** The length of why an address is taken off the suppression list, or contacts are unsubscribed. */
  reasonMax: 500,
  /** Selected entries of a list that one call changes. */
  selectedTogetherMax: 500,
  /** The length of a definition in the address of a list. */
  definitionTextMax: 4_000,
  /** Contacts of a filter are counted up to this. */
  countedMax: 10_000,
  /** Days whose growth a page shows. */
  growthDays: 30,
} as const
