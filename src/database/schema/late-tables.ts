/**
 * The tables of a cell that show workers where work is: a workspace's rows of them come to its new
 * cell at the switch.
 */

/** Its rows of a workspace leave the old cell in the same commit. */
export const dueTable = 'due'

export const lateTables: readonly string[] = [dueTable, 'message_search_mark']
