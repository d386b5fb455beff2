/** `facteur sender …`: the sender addresses of campaigns and confirmation mails. */
import { parseMailbox } from '../../ground/address.ts'
import { domainsOf } from '../../db/domains/domains.ts'
import { derive, type About } from './derive/derive-command.ts'
import { deriveList } from './derive/derive-list.ts'
import { readAddressText, readNameFlag } from './values.ts'

const byAddress = {
  places: { id: 'ADDRESS' },
  texts: { id: 'An address of a sender.' },
  foundBy: { list: 'listSenders', field: 'email' },
  read: { id: readAddressText },
} as const

export const senderCommands = [
  derive('addSender', {
    places: { email: 'ADDRESS' },
    texts: { email: 'An address at a domain of the workspace.' },
    read: { email: readAddressText, name: readNameFlag },
    refusals: { unverified_from_domain: (_, about) => explainDomain(about) },
    examples: ['sender add --workspace acme news@mail.acme.example --name "Acme news"'],
    say: (sender, { workspace }) =>
      `${spell(sender)} is ${sender.default ? 'the default sender' : 'a sender'} of ${workspace.slug}.`,
  }),
  deriveList('listSenders', {
    everywhere: true,
    note: 'In the order in which they were added.',
    examples: ['sender list --workspace acme'],
    columns: ['id', 'email', 'name', 'default', 'domain_status'],
    empty: 'There is no sender yet. Next: facteur sender add --workspace W ADDRESS --name NAME',
  }),
  derive('updateSender', {
    ...byAddress,
    name: 'sender default',
    summary: 'Make a sender the default',
    note: 'Campaigns and notices are from it unless they name another. Its domain must be verified.',
    only: ['id'],
    fixed: { default: true },
    refusals: { unverified_from_domain: (_, about) => explainDomain(about) },
    examples: ['sender default --workspace acme news@mail.acme.example'],
    say: (sender, { workspace }) => `${spell(sender)} is the default sender of ${workspace.slug}.`,
  }),
  derive('removeSender', {
    ...byAddress,
    note: 'Refused while a planned campaign uses it, and for the default sender while others exist.',
    refusals: {
      default_sender: () =>
        'It is the default sender: make another the default first, with "facteur sender default".',
      planned_campaigns: ({ campaigns }) =>
        `${String(campaigns)} planned campaigns are from it: change or unschedule them first.`,
    },
    examples: ['sender remove --workspace acme news@mail.acme.example'],
    say: (_, { workspace, words }) =>
      `${String(words['ADDRESS'])} is no longer a sender of ${workspace.slug}.`,
  }),
]

/** The command that makes the domain of a sender usable. */
async function explainDomain({ ctx, workspace: { id, slug }, words }: About): Promise<string> {
  const mailbox = parseMailbox(String(words['ADDRESS']))
  const domain = 'domain' in mailbox ? mailbox.domain : ''
  const isThere = (await domainsOf(ctx.db, id)).some(({ name }) => name === domain)
  return isThere
    ? `The domain ${domain} is not verified. Next: facteur domain verify --workspace ${slug} ${domain}`
    : `${slug} does not have the domain ${domain}. Next: facteur domain add --workspace ${slug} ${domain}`
}

const spell = ({ name, email }: { name: string | null; email: string }): string =>
  name === null ? email : `${name} <${email}>`
