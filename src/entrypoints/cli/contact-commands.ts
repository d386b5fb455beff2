/** `facteur contact …`: all data about one address, and its erasure. */
import { eraseContact } from '../../core/audience/contacts/erase-contact.ts'
import { presentContact } from '../../core/audience/contacts/present-contact.ts'
import { isKnown } from '../../core/audience/contacts/is-known.ts'
import { confirm } from './confirm.ts'
import { argument } from './parameters.ts'
import { present } from './present.ts'
import { CommandRefusal } from './refusal.ts'
import { printed } from './result.ts'
import { readAddress } from './values.ts'
import { defineWorkspaceCommand } from './workspace-command.ts'

const address = argument('The address, without a name.', readAddress)

const contactShow = defineWorkspaceCommand({
  name: 'contact show',
  summary: 'Show everything that a workspace knows about one address',
  note: 'The record, the evidence of consent, single messages and campaign mails with their outcomes, opens and clicks, suppression. --json has every detail.',
  arguments: { ADDRESS: address },
  examples: [
    'contact show --workspace acme ada@example.com',
    'contact show --workspace acme ada@example.com --json > ada.json',
  ],
  async run(ctx, { ADDRESS }) {
    const { workspace } = ctx
    const contact = await presentContact(ctx, { workspaceId: workspace.id, email: ADDRESS.key })
    if (!contact)
      throw new CommandRefusal('not_found', `${workspace.slug} knows nothing about ${ADDRESS.key}.`)
    return printed({ id: contact.email, ...contact }, describe(contact))
  },
})

type Contact = NonNullable<Awaited<ReturnType<typeof presentContact>>>

function describe(contact: Contact): string {
  const {
    email,
    subscriber,
    suppression,
    consents,
    sign_ups: signUps,
    import_refusals: refusals,
  } = contact
  const became = ({ status, error }: { status: string; error: string | null }): string =>
    error === null ? status : `${status} (${error})`
  return present({
    address: email,
    suppressed: suppression.map(({ reason, scope }) => `${reason} (${scope})`).join(', ') || 'no',
    subscriber,
    lastEngagement: contact.last_engagement,
    consents: consents.map(({ at, act, source, shown }) => ({
      at,
      act,
      source,
      words: firstLine(shown ?? ''),
    })),
    unansweredForms: signUps.map(({ created_at: at, form_id: form }) => ({ at, form })),
    refusedByImports: refusals.map(({ at, file, line, reason }) => ({ at, file, line, reason })),
    singleMessages: contact.emails.map((mail) => ({
      at: mail.created_at,
      status: became(mail),
      subject: mail.subject,
    })),
    campaigns: contact.campaigns.map((mail) => ({
      at: mail.sent_at,
      status: became(mail),
      name: mail.name,
    })),
    opensAndClicks: contact.requests.map(({ at, kind, visitor, url }) => ({
      at,
      kind,
      visitor,
      url,
    })),
  })
}

const firstLine = (words: string): string => words.trim().split('\n')[0]?.slice(0, 80) ?? ''

const contactErase = defineWorkspaceCommand({
  name: 'contact erase',
  summary: 'Erase everything that a workspace knows about one address',
  note:
    'For good. Record, consent, names, addresses, captured mails and texts only for this person go; counts stay, without the person. Where the address ' +
    'was suppressed (unsubscribed, bounced, complained, by hand), a salted hash of it stays: it cannot be read back, and the address still receives nothing. ' +
    'An address that was not suppressed may be added again: to prevent that, run suppression add first. Backups and logs are not touched.',
  arguments: { ADDRESS: address },
  flags: { yes: { text: 'Does not ask.' } },
  examples: ['contact erase --workspace acme ada@example.com'],
  async run(ctx, { ADDRESS, yes }) {
    const { workspace } = ctx
    const email = ADDRESS.key
    const { id: workspaceId } = workspace
    if (!(await isKnown({ db: ctx.db, workspaceId }, email)))
      throw new CommandRefusal('not_found', `${workspace.slug} knows nothing about ${email}.`)
    if (!yes) await confirm(`${email} would be erased from ${workspace.slug} for good.`, email)
    const erasure = await eraseContact(ctx, { workspaceId: workspace.id, email })
    if (!erasure.erased)
      throw new CommandRefusal(
        'conflict',
        `A mail to ${email} is leaving at this moment: the address is suppressed, and can be erased in a minute.`,
      )
    const { kept: stored } = erasure
    return printed(
      { id: email, email, erased: true, kept: stored },
      stored === null
        ? `${email} is erased. It was not suppressed, and may be added again.`
        : `${email} is erased. It stays suppressed (${stored}), stored as a hash.`,
    )
  },
})

export const contactCommands = [contactShow, contactErase]
