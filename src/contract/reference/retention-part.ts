/**
 * Writes `docs/retention.md`: what each class of data holds, how long it is stored, and how that is
 * changed.
 */
import { retentionClasses, retentionClassNames } from '../retention.ts'

const days = (count: number | null): string =>
  count === null ? 'for ever' : `${count.toLocaleString('en-US')} ${count === 1 ? 'day' : 'days'}`

const rows = (): string =>
  retentionClassNames
    .map((name) => {
      const { daysDefault, daysMin, holds, stays } = retentionClasses[name]
      return `| \`${name}\` | ${holds}. | ${days(daysDefault)} | ${days(daysMin)} | ${stays} |`
    })
    .join('\n')

export const retentionPage = (): string => `# Data retention

How long Facteur stores what. The table is made from \`src/contract/retention.ts\`.

| Class | What it holds | Stored | At least | What stays afterwards |
| --- | --- | --- | --- | --- |
${rows()}

Evidence of consent is stored as long as its contact, as are the dates on which they last received, opened and clicked. Suppressions are stored for ever: an address that unsubscribed must not receive mail after
its history is gone. Subscribers, campaigns with their content, and statistics have no limit of age. An erasure (\`facteur contact erase\`)
does not wait for any limit.

Data of people should be stored no longer than it is needed (GDPR, article 5). The limits do that by themselves; a shorter limit is the easiest way
to store less. They do not reach into copies that you made: delete old copies too.

## Show and set the limits

\`\`\`sh
facteur retention show
facteur retention set bodies 14
facteur retention set events 7 --workspace acme
facteur retention set audit_log forever
facteur retention set bodies default
\`\`\`

- A limit is that of the installation, or, with \`--workspace\`, that of one workspace. The shorter of the two applies.
- An owner shortens the limits of a workspace in **Settings → Data retention**, and cannot exceed the installation's.
- A later rise of the installation's limit does not lengthen what an owner shortened.
- Before a shorter limit is set, the command and the page say how much it deletes. \`--yes\` answers for scripts.
- The audit log of each workspace names who changed a limit.
- A longer limit does not restore deleted data.

## When data expires

From the moment of its limit, data can no longer be read. It is deleted afterwards, by whole parts of tables or in small batches.

Tables are divided by time into parts of about a tenth of the installation's limit, or of a month for limits above 60 days. A part is dropped once
all of its data has expired.

Batches delete what parts cannot:

- the data of a workspace with a shorter limit
- custom headers, and message records where \`messages\` has a limit
- expired data in parts that were made under a longer limit than today's. The file of such a part stays until all of it has expired, a month at most

They run between 01:00 and 05:00, by the time zone of the service (\`TZ\`, UTC in a container). A table whose batches were not complete for 30 hours
goes on at any hour: the installation was off at night, or had too much to delete. \`facteur doctor\` warns after two days.

After the upgrade from a version without limits, limits that nobody set apply a week later. The data of each large table is one part until then
and for two more weeks at most. This part is dropped when its newest data expires, even where a limit becomes shorter.

| What is read | What the answer says |
| --- | --- |
| \`GET /emails/{id}\`, \`get_email\` | the line of the message; \`html\` and \`text\` are null, \`expiredAt\` says since when |
| a message whose line expired (\`messages\`): read, changed or cancelled | 404 \`not_found\` with \`details.reason\` and \`details.expiredAt\` |
| a captured mail, an event, a delivery of a webhook, its replay; source and files of a message | 404 as above |
| \`POST /webhooks/{id}/replay\` of a period | replays what is stored; \`expiredBefore\` says where that begins |
| \`GET /events?after=\` an event that expired | 422: begin with the oldest |
| recipients of a campaign, their export | 404 as above; counts and statistics stay |
| retry, release, \`campaign recount\` of such a campaign | refused, with the date |
| lists and searches (messages, mails to a contact, captured mail, deliveries, audit log, opens and clicks) | they leave out what has expired |

\`details.reason\` is \`expired\` with \`details.days\`, the limit that applies. It is \`expired_earlier\` where there is no limit any more, and an earlier one
deleted the data.

## How much disk it takes

\`facteur retention show\` lists the bytes of each class beside its limit, and \`/metrics\` has them as \`facteur_disk_bytes\`. The overview shows them to
an owner of all workspaces of the installation. \`facteur doctor\` warns two weeks before the disk is full
([watching it](self-hosting.md#watching-it)).

With the default limits, only the lines of messages grow without end: about 2 KB each, which is 73 GB a year at 100,000 messages a day. A disk that stays as full
as it is needs a limit for them: \`facteur retention set messages 365\`. [Sizing](sizing.md#disk) has the figures.
`
