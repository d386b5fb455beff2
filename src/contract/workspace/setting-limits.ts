/** Defines the limits of a workspace's settings. Lengths are in code points. */
export const settingLimits = {
  workspaceNameMax: 120,
  keyNameMax: 120,
  senderNameMax: 120,
  postalAddressMax: 500,
  timeZoneMax: 60,
  formNameMax: 120,
  /** The texts of a sign-up form, and of its confirmation mail. */
  formWordsMax: 2_000,
  formSubjectMax: 150,
  formButtonMax: 60,
  /** The preview carries it in an address. */
  formMailTextMax: 1_000,
  /** Fields of a form besides the address. */
  formAsksMax: 20,
  formLabelMax: 120,
  formOriginsMax: 20,
  formUrlMax: 2_048,
} as const
