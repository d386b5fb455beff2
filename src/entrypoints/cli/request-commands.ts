/** `facteur requests …`: what programs asked of the API with the keys of a workspace. */
import { deriveList } from './derive/derive-list.ts'

export const requestCommands = [
  deriveList('listRequests', {
    name: 'requests list',
    note: 'The calls of the last days, newest first, of the API and of MCP. A number of calls above 1: they came faster than FACTEUR_REQUEST_LOG_PER_SECOND, and the line stands for all of them.',
    values: { key: 'ID', request_id: 'ID', message: 'ID', from: 'TIME', to: 'TIME' },
    examples: [
      'requests list --workspace acme --status refused',
      'requests list --workspace acme --request-id 9b2f6c1e-2f0e-4c1b-8d3a-5a7e0c4f6b21',
    ],
    columns: [
      { title: 'AT (UTC)', cell: ({ at }) => at.replace('T', ' ').replace('Z', '') },
      { title: 'OPERATION', cell: ({ operation, mcp }) => [...(mcp ? ['mcp'] : []), operation ?? '-'].join(' ') },
      { title: 'STATUS', right: true, cell: ({ status }) => String(status) },
      { title: 'CODE', cell: ({ code }) => code ?? '-' },
      { title: 'MS', right: true, cell: ({ duration_ms: ms }) => String(ms) },
      { title: 'CALLS', right: true, cell: ({ calls }) => String(calls) },
      { title: 'KEY', cell: ({ key }) => key.name },
      { title: 'FROM', cell: ({ address }) => address },
      { title: 'REQUEST', cell: ({ request_id: id }) => id },
      { title: 'MADE', cell: ({ message_ids: ids, campaign_id: campaign }) => madeBy(ids, campaign) },
    ],
    empty: 'No call matches. Calls of programs with a key of the workspace stand here a second after their answer.',
  }),
]

const madeBy = ([first, ...others]: string[], campaign: string | null): string =>
  first === undefined ? (campaign ?? '-') : others.length === 0 ? first : `${first} and ${others.length} more`
