/** `facteur person …`: all data about one address, and its erasure. */
import { createInterface } from 'node:readline/promises'
import { eraseContact } from '../../core/contacts/erase-contact.ts'
import { presentContact } from '../../core/contacts/present-contact.ts'
import { resolveWorkspace } from './find-workspace.ts'
import { workspaceFlag } from './parameters.ts'
import { CommandRefusal } from './refusal.ts'
import { printed } from './result.ts'
import { pairs } from './terminal-text.ts'
import { readAddress } from './values.ts'
import { defineDatabaseCommand } from './with-context.ts'

const address = { text: 'The address, without a name.', required: true, read: readAddress } as const

const personShow = defineDatabaseCommand({
  name: 'person show',
  summary: 'Shows everything that a workspace knows about one address',
  note: 'The record, the evidence of consent, single messages and campaign mails and what became of them, opens and clicks, suppression. --json has every detail.',
  arguments: { ADDRESS: address },
  flags: { workspace: workspaceFlag },
  examples: ['person show --workspace acme ada@example.com', 'person show --workspace acme ada@example.com --json > ada.json'],
  async run(ctx, { ADDRESS, workspace: W }) {
    const workspace = await resolveWorkspace(ctx, W)
    const person = await presentContact(ctx, workspace.id, ADDRESS.key)
    if (!person) throw new CommandRefusal('not_found', `${workspace.slug} knows nothing about ${ADDRESS.key}.`)
    return printed({ id: person.email, ...person }, describe(person))
  },
})

type Person = NonNullable<Awaited<ReturnType<typeof presentContact>>>

function describe({
  email,
  subscriber,
  suppression,
  consents,
  sign_ups: signUps,
  import_refusals: refusals,
  ...mail
}: Person): string {
  const { emails, campaigns, visits } = mail
  const name = [subscriber?.firstName, subscriber?.lastName].filter(Boolean).join(' ')
  const head: [string, string][] = [
    ['Address', email],
    [
      'Status',
      subscriber ? `${subscriber.status}, since ${minute(subscriber.created_at)} by ${subscriber.source}` : 'no subscriber',
    ],
    ...(name ? [['Name', name] satisfies [string, string]] : []),
    ...(subscriber && subscriber.tags.length > 0 ? [['Tags', subscriber.tags.join(', ')] satisfies [string, string]] : []),
    ...Object.entries(subscriber?.fields ?? {}).map(([key, value]): [string, string] => [`fields.${key}`, value]),
    ['Closed', suppression.map(({ reason, scope, created_at: at }) => `${reason} (${scope}), ${minute(at)}`).join('; ') || 'no'],
  ]
  return [
    pairs(head),
    ...section(
      'Consent',
      consents,
      ({ at, act, source, shown: words }) => `${minute(at)}  ${act} by ${source}${words === null ? '' : `: ${firstLine(words)}`}`,
    ),
    ...section('Forms that wait for an answer', signUps, (each) => `${minute(each.created_at)}  form ${each.form_id}`),
    ...section('Refused by imports', refusals, ({ at, file, line, reason }) => `${minute(at)}  ${file}, line ${line}: ${reason}`),
    ...section('Single messages', emails, (each) => `${minute(each.created_at)}  ${became(each)}  ${each.subject}`),
    ...section('Campaigns', campaigns, (each) => `${minute(each.sent_at)}  ${became(each)}  ${each.name}`),
    ...section(
      'Opens and clicks',
      visits,
      ({ at, kind, visitor, url }) => `${minute(at)}  ${kind} (${visitor})${url === null ? '' : `  ${url}`}`,
    ),
  ].join('\n')
}

function section<Row>(title: string, rows: Row[], line: (row: Row) => string): string[] {
  return rows.length === 0 ? [] : ['', `${title}:`, ...rows.map((row) => `  ${line(row)}`)]
}

const became = ({ status, error }: { status: string; error: string | null }): string =>
  error === null ? status : `${status} (${error})`
const firstLine = (words: string): string => words.trim().split('\n')[0]?.slice(0, 80) ?? ''
const minute = (at: string | null): string => (at === null ? '-'.padEnd(16) : at.slice(0, 16).replace('T', ' '))

const personErase = defineDatabaseCommand({
  name: 'person erase',
  summary: 'Erases everything that a workspace knows about one address',
  note: `For good. Record, consent, names, addresses, captured mails and texts only for this person go; counts stay, without the person. Where the address
was closed (unsubscribed, bounced, complained, by hand), that is kept as a salted hash: nobody can read it, and the address still receives nothing.
Where it was open it may be added again: to keep it closed, run suppression add first. Backups and logs are not touched.`.replaceAll(
    '\n',
    ' ',
  ),
  arguments: { ADDRESS: address },
  flags: { workspace: workspaceFlag, yes: { text: 'Does not ask.' } },
  examples: ['person erase --workspace acme ada@example.com'],
  async run(ctx, { ADDRESS, workspace: W, yes }) {
    const workspace = await resolveWorkspace(ctx, W)
    const email = ADDRESS.key
    if (!(await presentContact(ctx, workspace.id, email)))
      throw new CommandRefusal('not_found', `${workspace.slug} knows nothing about ${email}.`)
    if (!yes) await confirm(`Erase ${email} from ${workspace.slug} for good? Type the address again: `, email)
    const erasure = await eraseContact(ctx, workspace.id, email)
    if (!erasure.erased)
      throw new CommandRefusal(
        'conflict',
        `A mail to ${email} is leaving at this moment: the address is closed, and can be erased in a minute.`,
      )
    const { kept } = erasure
    return printed(
      { id: email, email, erased: true, kept },
      kept === null
        ? `${email} is erased. It was not closed, and may be added again.`
        : `${email} is erased. That it is closed (${kept}) is kept as a hash.`,
    )
  },
})

async function confirm(question: string, answer: string): Promise<void> {
  if (!process.stdin.isTTY) throw new CommandRefusal('usage', 'Nobody is here to ask: give --yes.')
  const asking = createInterface({ input: process.stdin, output: process.stderr })
  const said = await asking.question(question).finally(() => asking.close())
  if (said.trim().toLowerCase() !== answer) throw new CommandRefusal('refused', 'Nothing was erased.')
}

export const contactCommands = [personShow, personErase]
