/**
 * The stops of the tour (docs/tour.md): every page with its purpose, and the texts of the workspace
 * in the pictures.
 */
import type { LivedIn, Words } from './lived-in.ts'

export interface Stop {
  /** Of its pictures. */
  name: string
  /** As the router has it. */
  route: string
  title: string
  about: string
  /**
   * The path of an example below the workspace. `first of LIST PATTERN`: the first link of that
   * form on that list; `here PATTERN`: on the page of the previous stop. Absent means the route.
   */
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
          'Five results with the period before, the mails of each day by outcome, the last campaigns, and what needs attention. A suspended workspace sees the way out.',
      },
      {
        ...{ name: 'emails', route: 'emails', title: 'E-mails' },
        about:
          'Every message, single ones and those of campaigns, found by recipient, subject, tag, status and day.',
      },
      {
        ...{ name: 'compose', route: 'emails/new', title: 'Writing an e-mail' },
        about:
          'A single e-mail as text or in the blocks of the campaign editor, with files, at once or at a time.',
      },
      {
        ...{
          name: 'email',
          route: 'emails/$id',
          title: 'One message',
          at: (ids) => `emails/${ids.message}`,
        },
        about:
          'The page shows the outcome for each recipient, with the replies of mail servers in words. A frame that runs no script shows the mail; beside it are text, headers, source, files and webhook deliveries. The message can be sent again.',
      },
      {
        ...{ name: 'subscribers', route: 'subscribers', title: 'Subscribers' },
        about:
          'The audience with its totals, by status, by a saved segment or by filters of your own, searched by any part of a name or address. What is selected is tagged, changed, exported or erased together.',
      },
      {
        ...{
          name: 'person',
          route: 'subscribers/$who',
          title: 'One subscriber',
          at: () => 'first of subscribers subscribers/0',
        },
        about:
          'The evidence of their consent, all mails to them with outcomes, the reason why they can or cannot be mailed, and their erasure.',
      },
      {
        ...{ name: 'add-subscriber', route: 'subscribers/new', title: 'Adding a subscriber' },
        about:
          'The subscriber confirms by a mail, or you vouch for their consent in your own words.',
      },
      {
        ...{ name: 'fields', route: 'subscribers/fields', title: 'Fields of your own' },
        about: 'Custom fields of your subscribers, beyond their names.',
      },
      {
        ...{ name: 'topics', route: 'subscribers/topics', title: 'Topics' },
        about: 'What contacts choose from instead of leaving everything.',
      },
      {
        ...{ name: 'segments', route: 'segments', title: 'Segments' },
        about: 'Contacts that meet conditions, counted again each time.',
      },
      {
        ...{
          name: 'segment',
          route: 'segments/$id',
          title: 'One segment',
          at: () => 'first of segments segments/0',
        },
        about: 'Its conditions beside a live count and ten contacts that meet them.',
      },
      {
        ...{ name: 'new-segment', route: 'segments/new', title: 'A new segment' },
        about:
          'Conditions over fields, tags, dates and what was opened or clicked, nested three deep.',
      },
      {
        ...{ name: 'imports', route: 'subscribers/import', title: 'Imports' },
        about: 'Files of subscribers: drop a new one, or continue a stored one.',
      },
      {
        ...{
          name: 'import',
          route: 'subscribers/import/$id',
          title: 'One import',
          at: () => 'first of subscribers/import subscribers/import/',
        },
        about:
          'The meaning of each column, a dry run, the progress of the import, and a report with a file of refused lines.',
      },
      {
        ...{ name: 'suppression', route: 'suppression', title: 'Suppression' },
        about:
          'Suppressed addresses: you can check and add them, and remove one with a reason that the audit log stores.',
      },
      {
        ...{
          name: 'import-suppression',
          route: 'suppression/import',
          title: 'Suppressing many addresses',
        },
        about: 'A file adds them, and a report lists refused lines.',
      },
      {
        ...{ name: 'captured', route: 'captured', title: 'Captured mail' },
        about: 'Mails that the capture mailbox kept from leaving.',
      },
      {
        ...{
          name: 'captured-mail',
          route: 'captured/{-$id}',
          title: 'One captured mail',
          at: () => 'first of captured captured/',
        },
        about: 'The mail as its reader would get it.',
      },
    ],
  },
  {
    title: 'Campaigns',
    stops: [
      {
        ...{ name: 'campaigns', route: 'campaigns', title: 'Campaigns' },
        about: 'All campaigns by status, with their audience and rates.',
      },
      {
        ...{
          name: 'editor',
          route: 'campaigns/$id/edit',
          title: 'The editor',
          at: (ids) => `campaigns/${ids.draft}/edit`,
        },
        about:
          'You write text, HTML, or blocks that you move by mouse or keyboard. Beside it is the mail for a chosen subscriber, at desktop and phone width, light and dark. The editor saves as you type, and keeps the edits of two users.',
      },
      {
        ...{
          name: 'campaign-results',
          route: 'campaigns/$id/results',
          title: 'Results of a campaign',
          at: (ids) => `campaigns/${ids.sent}/results`,
        },
        about:
          'Rates with their bases, and the range that privacy relays leave open. Below are the hours in which it was read, its links, and the mail with the clicks drawn on it.',
      },
      {
        ...{
          name: 'campaign-delivery',
          route: 'campaigns/$id/delivery',
          title: 'Its delivery',
          at: (ids) => `campaigns/${ids.sent}/delivery`,
        },
        about:
          'Its state in counters that add up, and the acts that it allows now: schedule, send, undo, pause, resume, cancel, retry, release.',
      },
      {
        ...{
          name: 'campaign-recipients',
          route: 'campaigns/$id/recipients',
          title: 'Its recipients',
          at: (ids) => `campaigns/${ids.sent}/recipients`,
        },
        about: 'The outcome for each recipient.',
      },
    ],
  },
  {
    title: 'Webhooks',
    stops: [
      {
        ...{ name: 'webhooks', route: 'webhooks', title: 'Webhooks' },
        about: 'The URLs, the events that they receive, and their health.',
      },
      {
        ...{ name: 'new-webhook', route: 'webhooks/new', title: 'Adding a webhook' },
        about:
          'The page checks the URL as you type it. Each event type has a description and an example.',
      },
      {
        ...{
          name: 'webhook',
          route: 'webhooks/$id',
          title: 'One webhook',
          at: (ids) => `webhooks/${ids.webhook}`,
        },
        about:
          'Its journal, its health, its secret, a test, and the replay of one event or of a range of time.',
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
        ...{
          name: 'delivery',
          route: 'webhooks/$id/deliveries/$deliveryId',
          title: 'One delivery',
        },
        at: (ids) => `first of webhooks/${ids.webhook} webhooks/${ids.webhook}/deliveries/`,
        about: 'Every attempt with its request and its answer.',
      },
      {
        ...{ name: 'event', route: 'events/$id', title: 'One event', at: () => 'here events/' },
        about: 'Its body, and the webhooks that received it.',
      },
    ],
  },
  {
    title: 'Settings',
    stops: [
      {
        ...{ name: 'settings', route: 'settings', title: 'Settings' },
        about: 'One page with sections.',
      },
      {
        ...{ name: 'keys', route: 'settings/keys', title: 'API keys' },
        about: 'The permissions and the last use of each key. A new key is shown once.',
      },
      {
        ...{ name: 'requests', route: 'settings/requests', title: 'API requests' },
        about: 'Each call of the API and of MCP, by its key, outcome and time.',
      },
      {
        ...{
          name: 'request',
          route: 'settings/requests/$id',
          title: 'One request',
          at: () => 'first of settings/requests settings/requests/0',
        },
        about: 'Its key, its answer, and the messages that it made.',
      },
      {
        ...{ name: 'domains', route: 'settings/domains', title: 'Domains' },
        about: 'The domains that you send from.',
      },
      {
        ...{
          name: 'domain',
          route: 'settings/domains/$name',
          title: 'One domain',
          at: () => 'settings/domains/mail.paper-shop.example',
        },
        about:
          'Each DNS record to set, ready to copy, with its present value and its error. Below, what receivers demand, report and refuse.',
      },
      {
        ...{ name: 'senders', route: 'settings/senders', title: 'Senders' },
        about: 'The names and addresses of your senders.',
      },
      {
        ...{ name: 'forms', route: 'settings/forms', title: 'Sign-up forms' },
        about:
          'Pages where contacts subscribe themselves, with how many came lately and confirmed.',
      },
      {
        ...{ name: 'new-form', route: 'settings/forms/new', title: 'A new form' },
        about: 'Its fields, its colours and its confirmation mail, beside a preview.',
      },
      {
        ...{
          name: 'form',
          route: 'settings/forms/$id',
          title: 'One form',
          at: () => 'first of settings/forms settings/forms/A',
        },
        about: 'Its address, and the HTML to paste into a page of your own.',
      },
      {
        ...{ name: 'plan', route: 'settings/plan', title: 'Plan' },
        about: 'The quota of the month, and its use.',
      },
      {
        ...{ name: 'tracking', route: 'settings/tracking', title: 'Tracking' },
        about: 'New campaigns track opens and clicks, or do not.',
      },
      {
        ...{ name: 'retention', route: 'settings/retention', title: 'Data retention' },
        about: 'How long each kind of data is stored.',
      },
      {
        ...{ name: 'languages', route: 'settings/languages', title: 'Languages' },
        about: 'One of seven languages for the texts that your readers see.',
      },
      {
        ...{ name: 'general', route: 'settings/general', title: 'The workspace' },
        about: 'Its name, its contact and its postal address.',
      },
      {
        ...{ name: 'members', route: 'settings/members', title: 'Members' },
        about: 'Members with their roles, and open invitations.',
      },
      {
        ...{
          name: 'installation',
          route: 'settings/installation',
          title: 'The installation',
        },
        about: 'Its disk, and what fails, slows or waits, for owners of every workspace.',
      },
      {
        ...{ name: 'audit', route: 'settings/audit', title: 'Audit log' },
        about: 'The important acts, with user and time.',
      },
    ],
  },
  {
    title: 'Users',
    stops: [
      {
        ...{ name: 'account', route: 'account', title: 'Your account' },
        about: 'Password, passkeys, codes of an app, and where you are signed in.',
      },
      {
        ...{ name: 'new-workspace', route: 'new-workspace', title: 'One more workspace' },
        about: 'A user may be a member of several.',
      },
      {
        ...{ name: 'sign-in', route: 'sign-in', title: 'Signing in', signedOut: true },
        about: 'By password or passkey.',
      },
      {
        ...{ name: 'ask-reset', route: 'reset', title: 'A forgotten password', signedOut: true },
        about: 'A link by mail, or by the command line.',
      },
      {
        ...{ name: 'reset', route: 'reset/$token', title: 'A new password', signedOut: true },
        about: 'The link works once.',
      },
      {
        ...{ name: 'set-up', route: 'set-up/$token', title: 'The first owner', signedOut: true },
        about: 'The link that `npm start` prints.',
      },
      {
        ...{
          name: 'invitation',
          route: 'invitation/$token',
          title: 'An invitation',
          signedOut: true,
        },
        about: 'The link of the invitation mail.',
      },
    ],
  },
]

export const stops: readonly Stop[] = parts.flatMap((part) => part.stops)

/** docs/tour.md. */
export function tourText(): string {
  const picture = (name: string, scheme: string): string =>
    `![${scheme}](images/tour/${name}-${scheme}.png)`
  const shown = (stop: Stop): string =>
    `### ${stop.title}\n\n${stop.about}\n\n| Light | Dark |\n| --- | --- |\n| ${picture(stop.name, 'light')} | ${picture(stop.name, 'dark')} |\n`
  const body = parts
    .map(({ title, stops: those }) => `## ${title}\n\n${those.map(shown).join('\n')}`)
    .join('\n')
  return `# A tour of the workspace\n\nEvery page, light and dark, as \`UPDATE_IMAGES=1 npm test -- test/docs/tour.test.ts\` photographs them. All of them work from\n360 px on, by keyboard and with screen readers, in French and in English.\n\n${body}`
}

const names = ['Ada', 'Grace', 'Ines', 'Marie', 'Noor', 'Paul', 'Rosa', 'Sam', 'Tove', 'Yuki']

/** The data of the workspace in the pictures. */
export const wordsOfTour: Words = {
  workspace: 'Paper Shop',
  contacts: names.map((firstName) => ({
    email: `${firstName.toLowerCase()}@example.com`,
    firstName,
    lastName: 'Martin',
  })),
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
  name: 'Paper Shop',
  names: {
    ...{ address: 'Paper Shop Ltd.', key: 'Shop server', form: 'Letters from the Paper Shop' },
    ...{
      intro: 'New paper and quiet offers, once a month.',
      consent: 'Send me letters by e-mail.',
    },
    ...{ topic: 'New arrivals', topicAbout: 'Paper and notebooks as they come in' },
    ...{ segment: 'Customers in Lyon', webhook: 'Order system', file: 'customers of the market' },
    ...{ sent: 'November letter', draft: 'December letter', planned: 'Winter sale' },
  },
  subjectsOfCampaigns: {
    ...{ sent: 'New paper is in, {{firstName | default: "hello"}}', draft: 'Wrap it in paper' },
    planned: 'Winter sale from Monday',
  },
  letter: [
    'Wrap it in paper',
    'the winter papers are here: heavier, warmer, and printed in Lyon.',
    'A sheet of green paper',
    'Wrapping paper from €4',
    'Cards with envelopes',
    'The best paper I have written on.',
    'See the winter papers',
  ],
  tag: 'customers',
  field: 'City',
  city: 'Lyon',
  smtp: '250 2.0.0 OK queued as 4F1C2A',
  hook: '{"error":"the database is away"}',
  userAgent:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
}
