/** The numbers of what people of a workspace do with its audience. */
export const audienceLimits = {
  fieldLabelMax: 60,
  /** The words of a consent that no mail asked for. */
  consentWordsMin: 3,
  consentWordsMax: 2_000,
  /** Octets of a file of people, and how many of them a workspace may keep at once. */
  importFileBytes: 200 * 1024 * 1024,
  importFilesMax: 10,
  importColumnsMax: 200,
  fileNameMax: 255,
} as const
