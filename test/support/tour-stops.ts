/** The stops of the tour (docs/tour.md): every page, what it is for, and the words that the workspace of the pictures is filled with. */
import type { LivedIn, Words } from './lived-in.ts'

export interface Stop {
  /** Of its pictures. */
  name: string
  /** As the router has it. */
  route: string
  title: string
  about: string
  /** Where one of its kind is, below the workspace; `first of LIST PATTERN`: the first link of that form on that list, `here PATTERN`: on the page of the former stop. Absent: the route. */
  at?: (ids: LivedIn['ids']) => string
  signedOut?: true
}

interface Part {
  title: string
  stops: Stop[]
}

const parts: Part[] = [
  {
    title: 'Day by day',
    stops: [
      {
        ...{ name: 'overview', route: 'overview', title: 'Overview' },
        about:
          'What was sent in thirty days and what became of it; how near the rates are to where sending is suspended, and the way out if it is; what is left of the quota; first steps that tick themselves.',
      },
      {
        ...{ name: 'emails', route: 'emails', title: 'E-mails' },
        about: 'Every message, single ones and those of campaigns, found by recipient, subject, tag, status and day.',
      },
      {
        ...{ name: 'email', route: 'emails/$id', title: 'One message', at: (ids) => `emails/${ids.message}` },
        about:
          'What happened to it for each recipient, with what the mail servers said, in words; the mail itself in a frame that runs nothing; its text, headers, source and files; the webhooks it caused; sending it again.',
      },
      {
        ...{ name: 'subscribers', route: 'subscribers', title: 'Subscribers' },
        about:
          'The audience, filtered by status, tag, field and source, searched by any part of a name or address, and exported.',
      },
      {
        ...{ name: 'person', route: 'subscribers/$who', title: 'One person', at: () => 'first of subscribers subscribers/0' },
        about:
          'The evidence of their consent, all that was sent to them and what became of it, why they can or cannot be mailed, and forgetting them.',
      },
      {
        ...{ name: 'add-subscriber', route: 'subscribers/new', title: 'Adding a person' },
        about: 'With a mail that asks to confirm, or with the words by which you answer for their consent.',
      },
      {
        ...{ name: 'fields', route: 'subscribers/fields', title: 'Fields of your own' },
        about: 'What you keep of people beyond their name.',
      },
      {
        ...{ name: 'imports', route: 'subscribers/import', title: 'Imports' },
        about: 'Files of people: drop one, or go on with one that waits.',
      },
      {
        ...{
          name: 'import',
          route: 'subscribers/import/$id',
          title: 'One import',
          at: () => 'first of subscribers/import subscribers/import/',
        },
        about: 'Which column is what, a dry run, the import as it goes, and a report with a file of what was refused.',
      },
      {
        ...{ name: 'suppression', route: 'suppression', title: 'Suppression' },
        about: 'Addresses that receive nothing further: checked, added, and reopened by hand with a reason that is kept.',
      },
      {
        ...{ name: 'import-suppression', route: 'suppression/import', title: 'Closing many addresses' },
        about: 'From a file, with a report.',
      },
      {
        ...{ name: 'captured', route: 'captured', title: 'Captured mail' },
        about: 'What would have left, while the capture mailbox is in use.',
      },
      {
        ...{ name: 'captured-mail', route: 'captured/$id', title: 'One captured mail', at: () => 'first of captured captured/' },
        about: 'As its reader would have it.',
      },
    ],
  },
  {
    title: 'Campaigns',
    stops: [
      { ...{ name: 'campaigns', route: 'campaigns', title: 'Campaigns' }, about: 'All of them, with where each stands.' },
      {
        ...{ name: 'editor', route: 'campaigns/$id/edit', title: 'The editor', at: (ids) => `campaigns/${ids.draft}/edit` },
        about:
          'Three ways in: text, blocks that are moved by mouse or keyboard, HTML. Beside it the mail as a chosen subscriber would have it, at desktop and phone width, light and dark; saved as one writes, and no edit of two people is lost.',
      },
      {
        ...{ name: 'campaign', route: 'campaigns/$id', title: 'One campaign', at: (ids) => `campaigns/${ids.sent}` },
        about:
          'Where it stands, in a ledger that adds up, and what may be done now: schedule, send, undo, pause, resume, cancel, retry, release.',
      },
      {
        ...{
          name: 'campaign-recipients',
          route: 'campaigns/$id/recipients',
          title: 'Its recipients',
          at: (ids) => `campaigns/${ids.sent}/recipients`,
        },
        about: 'What became of it for each person.',
      },
      {
        ...{
          name: 'campaign-statistics',
          route: 'campaigns/$id/statistics',
          title: 'Its statistics',
          at: (ids) => `campaigns/${ids.sent}/statistics`,
        },
        about:
          'From handed over to clicked, the first 48 hours, people apart from privacy relays, devices, and links drawn on the mail itself.',
      },
    ],
  },
  {
    title: 'Webhooks',
    stops: [
      {
        ...{ name: 'webhooks', route: 'webhooks', title: 'Webhooks' },
        about: 'Which URL receives which events, and how each fares.',
      },
      {
        ...{ name: 'new-webhook', route: 'webhooks/new', title: 'Adding a webhook' },
        about: 'Its address is judged as it is typed; events are chosen with what they tell.',
      },
      {
        ...{ name: 'webhook', route: 'webhooks/$id', title: 'One webhook', at: (ids) => `webhooks/${ids.webhook}` },
        about: 'Its journal, its health, its secret, a test, and replaying one event or a whole time.',
      },
      {
        ...{
          name: 'edit-webhook',
          route: 'webhooks/$id/edit',
          title: 'Changing it',
          at: (ids) => `webhooks/${ids.webhook}/edit`,
        },
        about: 'Name, address and events.',
      },
      {
        ...{ name: 'delivery', route: 'webhooks/$id/deliveries/$deliveryId', title: 'One delivery' },
        at: (ids) => `first of webhooks/${ids.webhook} webhooks/${ids.webhook}/deliveries/`,
        about: 'Every attempt as it was sent, and what was answered.',
      },
      {
        ...{ name: 'event', route: 'events/$id', title: 'One event', at: () => 'here events/' },
        about: 'What happened, and who was told.',
      },
    ],
  },
  {
    title: 'Settings',
    stops: [
      {
        ...{ name: 'keys', route: 'settings/keys', title: 'API keys' },
        about: 'What each may do, when it was last used; a new one is shown once.',
      },
      { ...{ name: 'domains', route: 'settings/domains', title: 'Domains' }, about: 'What mail is sent from.' },
      {
        ...{
          name: 'domain',
          route: 'settings/domains/$name',
          title: 'One domain',
          at: () => 'settings/domains/mail.paper-shop.example',
        },
        about: 'Each DNS record to set, ready to be copied, what was found, and what is wrong with it.',
      },
      { ...{ name: 'senders', route: 'settings/senders', title: 'Senders' }, about: 'Names and addresses that mail is sent as.' },
      {
        ...{ name: 'forms', route: 'settings/forms', title: 'Sign-up forms' },
        about: 'Pages where people subscribe themselves.',
      },
      {
        ...{ name: 'new-form', route: 'settings/forms/new', title: 'A new form' },
        about: 'What it asks, its colours, the mail that asks to confirm; seen as it will be.',
      },
      {
        ...{ name: 'form', route: 'settings/forms/$id', title: 'One form', at: () => 'first of settings/forms settings/forms/A' },
        about: 'Its address, and the HTML to paste into a page of your own.',
      },
      { ...{ name: 'plan', route: 'settings/plan', title: 'Plan' }, about: 'What the month allows, and what it has used.' },
      { ...{ name: 'tracking', route: 'settings/tracking', title: 'Tracking' }, about: 'Whether opens and clicks are followed.' },
      {
        ...{ name: 'languages', route: 'settings/languages', title: 'Languages' },
        about: 'French or English, for what your readers see.',
      },
      {
        ...{ name: 'general', route: 'settings/general', title: 'The workspace' },
        about: 'Its name, whom it can be reached by, its postal address.',
      },
      { ...{ name: 'members', route: 'settings/members', title: 'Members' }, about: 'Who may what, and who is invited.' },
      { ...{ name: 'audit', route: 'settings/audit', title: 'Audit log' }, about: 'Who did what that matters, and when.' },
    ],
  },
  {
    title: 'People',
    stops: [
      {
        ...{ name: 'account', route: 'account', title: 'Your account' },
        about: 'Password, passkeys, codes of an app, and where you are signed in.',
      },
      { ...{ name: 'new-workspace', route: 'new-workspace', title: 'One more workspace' }, about: 'A person may be in several.' },
      { ...{ name: 'sign-in', route: 'sign-in', title: 'Signing in', signedOut: true }, about: 'By password or passkey.' },
      {
        ...{ name: 'ask-reset', route: 'reset', title: 'A forgotten password', signedOut: true },
        about: 'A link by mail, or by the command line.',
      },
      { ...{ name: 'reset', route: 'reset/$token', title: 'A new password', signedOut: true }, about: 'The link works once.' },
      {
        ...{ name: 'set-up', route: 'set-up/$token', title: 'The first owner', signedOut: true },
        about: 'The link that `npm start` prints.',
      },
      {
        ...{ name: 'invitation', route: 'invitation/$token', title: 'Invited', signedOut: true },
        about: 'The link of the mail that invites.',
      },
    ],
  },
]

export const stops: readonly Stop[] = parts.flatMap((part) => part.stops)

/** docs/tour.md. */
export function tourText(): string {
  const picture = (name: string, scheme: string): string => `![${scheme}](images/tour/${name}-${scheme}.png)`
  const shown = (stop: Stop): string =>
    `### ${stop.title}\n\n${stop.about}\n\n| Light | Dark |\n| --- | --- |\n| ${picture(stop.name, 'light')} | ${picture(stop.name, 'dark')} |\n`
  const body = parts.map(({ title, stops: those }) => `## ${title}\n\n${those.map(shown).join('\n')}`).join('\n')
  return `# A tour of the workspace\n\nEvery page, light and dark, as \`UPDATE_IMAGES=1 npm test -- test/docs/tour.test.ts\` photographs them. All of them work from\n360 px on, by keyboard and with screen readers, in French and in English.\n\n${body}`
}

const names = ['Ada', 'Grace', 'Ines', 'Marie', 'Noor', 'Paul', 'Rosa', 'Sam', 'Tove', 'Yuki']

/** The data of the workspace in the pictures. */
export const wordsOfTour: Words = {
  workspace: 'Paper Shop',
  people: names.map((firstName) => ({ email: `${firstName.toLowerCase()}@example.com`, firstName, lastName: 'Martin' })),
  subjects: [
    'Your order is on its way',
    'Your receipt',
    'Reset your password',
    'A parcel could not be delivered',
    'Welcome to the Paper Shop',
    'Your order is on its way',
    'Confirm your new address',
    'Your receipt',
    'A question about your order',
    'Your order is on its way',
    'Your address does not exist any more',
    'Back in stock: ruled notebooks',
    'Your parcel is late',
  ],
  html: '<h1>New paper is in</h1><p>Ruled, dotted and plain: <a href="https://example.com/paper">look at all of it</a>, or go straight to the <a href="https://example.com/notebooks">notebooks</a>.</p><p>See you soon in the shop.</p>',
  name: 'News of November',
  tag: 'customers',
  field: 'City',
  smtp: '250 2.0.0 OK queued as 4F1C2A',
  hook: '{"error":"the database is away"}',
  userAgent:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
}
