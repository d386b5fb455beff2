/**
 * Parameters that several commands share, each defined once, and a short way to define the others.
 */
import { readChoiceFlag, readText } from './values.ts'

export const argument = <T>(text: string, read: (text: string) => T) =>
  ({ text, required: true, read }) as const

/** A flag that may be left out. `value`: what help shows for its value. */
export const flag = <T>(value: string, text: string, read: (text: string) => T) =>
  ({ value, text, required: false, read }) as const
export const textFlag = (value: string, text: string) => flag(value, text, readText)

export const workspaceArgument = argument('The workspace: its id or its slug.', readText)
export const workspaceFlag = { ...workspaceArgument, value: 'W' } as const
export const anyWorkspaceFlag = textFlag(
  'W',
  'Only in this workspace (its id or slug); absent: in every workspace.',
)
/** For lists that are stored in a file. */
export const formatFlag = flag(
  'F',
  'csv or json; csv where it is absent.',
  readChoiceFlag(['csv', 'json']),
)
/** For imports. */
export const refusedFlag = textFlag(
  'FILE',
  'Writes the refused lines, each with its reason, to this CSV file.',
)
