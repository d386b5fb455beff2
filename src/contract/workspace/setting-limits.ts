/** The numbers of a workspace's settings. Lengths are in code points. */
export const settingLimits = {
  workspaceNameMax: 120,
  keyNameMax: 120,
  senderNameMax: 120,
  postalAddressMax: 500,
  formNameMax: 120,
  /** What a sign-up form says, and its confirmation mail. */
  formWordsMax: 2_000,
  formSubjectMax: 150,
  formButtonMax: 60,
  /** It travels in an address while it is being written. */
  formMailTextMax: 1_000,
  /** Things that a form asks beside the address. */
  formAsksMax: 20,
  formLabelMax: 120,
} as const
