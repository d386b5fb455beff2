/** Defines the limits of changes of many contacts at once. */
export const bulkLimits = {
  /** Contacts that a selection names one by one: their body stays below `otherBodyBytes`. */
  idsMax: 5_000,
  /** Changes of a workspace that have not ended, without those of one contact. */
  unfinishedMax: 5,
  /** Changes of one contact that have not ended: they wait for no other, and take none of the above. */
  ofOneMax: 10,
  /** A change that is not undone waits so long before it begins. */
  waitSeconds: 10,
  /** Finding the contacts ends after so long. */
  freezeSecondsMax: 30,
  /** A file of contacts can be downloaded for so long. */
  downloadMinutes: 15,
  /** Files of contacts that a workspace makes within these minutes. */
  exportsMax: 10,
  /** Changes of many that the list holds, and as many of one contact each. */
  listedMax: 20,
} as const
