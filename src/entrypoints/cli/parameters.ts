/** Parameters that several commands share, each defined once. */
import { readChoiceFlag, readText } from './values.ts'

const workspace = { text: 'The workspace: its id or its slug.', read: readText } as const

export const workspaceArgument = { ...workspace, required: true } as const
export const workspaceFlag = { ...workspace, value: 'W', required: true } as const
/** For lists: absent is every workspace. */
export const anyWorkspaceFlag = {
  text: 'Only of this workspace (its id or slug).',
  value: 'W',
  required: false,
  read: readText,
} as const
/** For lists that are stored in a file. */
export const formatFlag = {
  text: 'csv or json; csv where it is absent.',
  value: 'F',
  required: false,
  read: readChoiceFlag(['csv', 'json']),
} as const
