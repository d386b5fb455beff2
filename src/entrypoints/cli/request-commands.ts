/** `facteur requests …`: what programs asked of the API with the keys of a workspace. */
import type { Operation } from '../../contract/operation.ts'
import { operations } from '../../contract/operations.ts'
import { didYouMean } from '../../ground/nearest.ts'
import { deriveList } from './derive/derive-list.ts'
import { CommandRefusal } from './refusal.ts'

/** Programs call these. */
const callable = Object.entries<Operation>(operations).flatMap(([id, { entry }]) =>
  entry === 'api' ? [id] : [],
)

function readOperation(text: string): string {
  if (callable.includes(text)) return text
  const meant = didYouMean(text, callable)
  throw new CommandRefusal(
    'usage',
    `"${text}" is no operation${meant === '.' ? `: they are ${callable.join(', ')}.` : meant}`,
  )
}

export const requestCommands = [
  deriveList('listRequests', {
    name: 'requests list',
    note: 'The calls of the last days, newest first, of the API and of MCP. Every refusal has its line. A number of calls above 1: these succeeded, faster than FACTEUR_REQUEST_LOG_PER_SECOND, or were refused as 401, 403 or 429 more than 600 times a minute, and the line stands for all of them.',
    shownMax: 100,
    read: { operation: readOperation },
    values: {
      key: 'ID',
      request_id: 'ID',
      message: 'ID',
      campaign: 'ID',
      from: 'TIME',
      to: 'TIME',
    },
    examples: [
      'requests list --workspace acme --status refused --limit 1000',
      'requests list --workspace acme --request-id 9b2f6c1e-2f0e-4c1b-8d3a-5a7e0c4f6b21',
    ],
    columns: [
      { title: 'AT (UTC)', cell: ({ at }) => at.replace('T', ' ').replace('Z', '') },
      {
        title: 'OPERATION',
        cell: ({ operation, mcp }) => [...(mcp ? ['mcp'] : []), operation ?? '-'].join(' '),
      },
      { title: 'STATUS', right: true, cell: ({ status }) => String(status) },
      { title: 'CODE', cell: ({ code }) => code ?? '-' },
      { title: 'MS', right: true, cell: ({ duration_ms: ms }) => String(ms) },
      { title: 'CALLS', right: true, cell: ({ calls }) => String(calls) },
      { title: 'KEY', cell: ({ key }) => key.name },
      { title: 'FROM', cell: ({ address }) => address },
      { title: 'REQUEST', cell: ({ request_id: id }) => id },
      {
        title: 'MADE',
        cell: ({ message_ids: ids, campaign_id: campaign }) => madeBy(ids, campaign),
      },
    ],
    empty:
      'No call matches. Calls of programs with a key of the workspace stand here a second after their answer.',
  }),
]

const madeBy = ([first, ...others]: string[], campaign: string | null): string =>
  first === undefined
    ? (campaign ?? '-')
    : others.length === 0
      ? first
      : `${first} and ${others.length} more`
