/** Defines the limits of a segment's definition. */
export const segmentLimits = {
  nameMax: 120,
  /** Groups within each other, and conditions in all. */
  levelsMax: 3,
  conditionsMax: 50,
  /** Conditions that read the details of campaigns: each joins a list of their recipients. */
  detailsMax: 10,
  /** Characters of a value that is compared. */
  valueMax: 500,
  daysMax: 3_650,
  /** Contacts that a count shows. */
  sampleMax: 10,
  /** A count ends after so long. */
  countSecondsMax: 5,
  /** A count may be so old where many segments are listed. */
  recentSeconds: 300,
  /** Such counts that a process remembers of a workspace. */
  recentMax: 200,
  /** A campaign's audience is frozen, and counted for an approval, within so long. */
  freezeSecondsMax: 120,
  /** The contacts of an export are chosen within so long. */
  exportSecondsMax: 60,
  /** Counts of a workspace at once, over all processes, and how many more wait in each process. */
  countsAtOnceMax: 2,
  countsWaitingMax: 10,
  /** A count that finds all slots taken by other processes tries again after this pause, so often. */
  slotPauseMs: 100,
  slotTriesMax: 250,
  /** Counts of all workspaces at once, in a process, that may take longer than `countSecondsMax`. */
  longCountsAtOnceMax: 2,
} as const
