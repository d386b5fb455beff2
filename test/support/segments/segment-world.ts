/** Draws contacts with all that a segment can ask about, and stores them in a workspace. */
import type { Draw } from '../fault-draw.ts'
import { runOn } from '../database.ts'
import { idAt } from '../../../src/ground/ids.ts'
import type { PlainContact, PlainField } from './plain-evaluator.ts'

/** Its days begin five hours later than those of UTC, or four. */
export const worldZone = 'America/New_York'
export const worldAt = new Date('2026-11-29T12:00:00.000Z')

export const worldFields = [
  { id: '00000000-0000-4000-8000-000000000001', key: 'city', type: 'text', choices: [] },
  { id: '00000000-0000-4000-8000-000000000002', key: 'orders', type: 'number', choices: [] },
  { id: '00000000-0000-4000-8000-000000000003', key: 'birthday', type: 'date', choices: [] },
  { id: '00000000-0000-4000-8000-000000000004', key: 'member', type: 'boolean', choices: [] },
  { id: '00000000-0000-4000-8000-000000000005', key: 'size', type: 'choice', choices: ['S', 'M'] },
] as const

/** Today, tomorrow, and the first and the last day within one, two and 90 days. */
const daysNear = [
  '2026-11-29',
  '2026-11-30',
  '2026-11-27',
  '2026-11-26',
  '2026-08-31',
  '2026-08-30',
]

/** Letters of several scripts, and those whose case changes their number or their script. */
export const worldTexts = {
  city: ['Paris', 'PARIS', 'Évry', 'évry', 'ÉVRY', 'Łódź', 'ΑΘΗΝΑ', 'αθηνα', 'İzmir', 'izmir'],
  odd: ["d'Arc", '100%', '50_50', 'a\\b', '"x"', "'); --", 'Kelvin', '\u212aelvin', '𐐀bc', '𐐨BC'],
  orders: ['0', '7', '12.5', '12.50', '-3', '007', '1e5', 'many', '999999999999999'],
  birthday: ['1990-02-28', '2000-02-29', '2026-11-28', '1900-02-29', '29/11/1990', ...daysNear],
  member: ['true', 'false', 'yes'],
  size: ['S', 'M', 's', 'XL'],
} as const

export const worldTags = ['vip', 'VIP', 'news', 'élan', 'Élan', '100%'] as const
export const worldCampaigns = [1, 2, 3].map(
  (index) => `01900000-0000-7000-8000-00000000000${index}`,
)
/** The details of the last one are stored as dates of the contacts. */
const [, , storedCampaign] = worldCampaigns
export const worldForms = [1, 2].map((index) => `01900000-0000-7000-9000-00000000000${index}`)

const hourMs = 3_600_000

/** Within three years before, in steps that fall on both sides of midnight. */
export const drawTime = (draw: Draw): Date =>
  new Date(
    worldAt.getTime() - draw.between(0, 3 * 365 * 24) * hourMs - draw.between(0, 1) * 1_800_000,
  )

const some = <T>(draw: Draw, values: readonly T[], max: number): T[] => [
  ...new Set(Array.from({ length: draw.between(0, max) }, () => draw.pick(values))),
]
const maybe = <T>(draw: Draw, share: number, make: () => T): T | null =>
  draw.next() < share ? make() : null

function drawFields(draw: Draw): Record<string, PlainField> {
  const valueOf = (key: keyof typeof worldTexts): string | null =>
    maybe(draw, 0.7, () => draw.pick(worldTexts[draw.next() < 0.2 && key === 'city' ? 'odd' : key]))
  return Object.fromEntries(
    worldFields.map(({ id, key, type, choices }) => [
      id,
      { type, choices: [...choices], value: valueOf(key) },
    ]),
  )
}

export function drawContact(draw: Draw): PlainContact {
  const created = drawTime(draw)
  const mails = some(draw, worldCampaigns, 3).map((campaign) => ({
    campaign,
    status: draw.pick(['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed']),
    sent: maybe(draw, 0.9, () => drawTime(draw)),
  }))
  return {
    id: idAt(created.getTime()),
    status: draw.pick(['subscribed', 'subscribed', 'pending', 'unsubscribed', 'bounced']),
    tags: some(draw, worldTags, 3),
    fields: drawFields(draw),
    source: draw.pick(['api', 'form', 'import', 'workspace']),
    form: maybe(draw, 0.4, () => draw.pick(worldForms)),
    language: maybe(draw, 0.6, () => draw.pick(['fr', 'en'])),
    created,
    confirmed: maybe(draw, 0.5, () => drawTime(draw)),
    unsubscribed: maybe(draw, 0.2, () => drawTime(draw)),
    consents: Array.from({ length: draw.between(0, 2) }, () => ({
      act: draw.pick(['asked', 'confirmed', 'registered', 'unsubscribed']),
      at: drawTime(draw),
    })),
    mails,
    engagements: mails.flatMap(({ campaign }) =>
      Array.from({ length: draw.between(0, 2) }, () => ({
        campaign,
        kind: draw.pick(['open', 'open', 'click']),
        visitor: draw.pick(['person', 'relay', 'scanner']),
        at: drawTime(draw),
      })),
    ),
  }
}

/** Stores them as the product would have; one statement for each table. */
export async function storeContacts(
  url: string,
  workspaceId: number,
  contacts: PlainContact[],
): Promise<void> {
  const store = async (table: string, rows: object[]): Promise<void> => {
    const columns = Object.keys(rows[0] ?? {}).join(', ')
    if (rows.length > 0)
      await runOn(
        url,
        `insert into ${table} (workspace_id, ${columns})
         select ${workspaceId}, ${columns} from json_populate_recordset(null::${table}, '${JSON.stringify(rows).replaceAll("'", "''")}')`,
      )
  }
  const at = worldAt
  await store(
    'subscriber_field',
    worldFields.map((field) => ({ ...field, created_at: at })),
  )
  await store(
    'subscriber_tag',
    [...new Set([...worldTags, ...contacts.flatMap(({ tags }) => tags)])].map((name) => ({
      ...{ name, created_at: at },
    })),
  )
  await store(
    'campaign',
    worldCampaigns.map((id) => campaignRow(id, at)),
  )
  await store('campaign_run', worldCampaigns.map(runRow))
  await store(
    'subscriber',
    contacts.map((contact) => subscriberRow(contact)),
  )
  await store('consent_evidence', contacts.flatMap(consentRows))
  await store('campaign_recipient', contacts.flatMap(recipientRows))
  await store('engagement', contacts.flatMap(engagementRows))
  await store('subscriber_engagement', contacts.flatMap(datesRows))
}

const campaignRow = (id: string, at: Date) => ({
  ...{ id, name: id, subject: 'Hello', format: 'text', source: {}, status: 'sending' },
  ...{ track_opens: true, track_clicks: true, created_at: at, updated_at: at },
  ...{ version: 1, unfinished: false, reply_to: [] },
  receipts_stored: id === storedCampaign ? 0 : null,
})

const zeroes = 'sent failed suppressed in_doubt handed_over counted given_back'.split(' ')
const checked = 'checked_hand_offs checked_bounces checked_complaints'.split(' ')
const none = '00000000-0000-0000-0000-000000000000'

const runRow = (id: string) => ({
  ...{ campaign_id: id, claimed_to: none, last_id: none, low_water: none, recipients: 1 },
  ...Object.fromEntries([...zeroes, ...checked].map((column) => [column, 0])),
  ...{ opens_at: worldAt, moved_at: '-infinity', pending: id === storedCampaign ? 0 : 1 },
})

const emailOf = ({ id }: PlainContact): string => `reader-${id}@example.test`

const subscriberRow = (contact: PlainContact) => ({
  id: contact.id,
  email: emailOf(contact),
  status: contact.status,
  tags: contact.tags,
  fields: Object.fromEntries(
    worldFields.flatMap(({ id, key }) => {
      const value = contact.fields[id]?.value ?? null
      return value === null ? [] : [[key, value]]
    }),
  ),
  source: contact.source,
  form_id: contact.form,
  language: contact.language,
  created_at: contact.created,
  updated_at: contact.created,
  confirmed_at: contact.confirmed,
  unsubscribed_at: contact.unsubscribed,
})

const consentRows = (contact: PlainContact) =>
  contact.consents.map(({ act, at }) => ({
    ...{ id: idAt(at.getTime()), subscriber_id: contact.id, email: emailOf(contact), act },
    ...{ source: 'api', at },
  }))

const recipientRows = (contact: PlainContact) =>
  contact.mails.map(({ campaign, status, sent }) => ({
    ...{ campaign_id: campaign, subscriber_id: contact.id, email: emailOf(contact) },
    ...{ state: 'settled', status, fence: 1, attempts: 1, troubles: 0, sent_at: sent, losses: 0 },
  }))

const engagementRows = (contact: PlainContact) =>
  contact.engagements.map(({ campaign, kind, visitor, at }) => ({
    ...{ id: idAt(at.getTime()), campaign_id: campaign, subscriber_id: contact.id, kind, visitor },
    ...{ user_agent: '', at, device: 'Unknown', os: 'Unknown', client: 'Unknown' },
  }))

const latestOf = (times: (Date | null)[]): Date | null =>
  times.reduce((a, b) => (a === null || (b !== null && b > a) ? b : a), null)

function datesRows({ id, mails, engagements }: PlainContact) {
  const opens = engagements.filter(
    ({ campaign, visitor }) => campaign === storedCampaign && visitor !== 'scanner',
  )
  const received = mails.flatMap(({ campaign, sent }) =>
    campaign === storedCampaign ? [sent] : [],
  )
  const last = (isCounted: (open: (typeof opens)[number]) => boolean): Date | null =>
    latestOf(opens.filter(isCounted).map(({ at }) => at))
  if (opens.length === 0 && received.length === 0) return []
  return [
    {
      ...{ subscriber_id: id, received_at: latestOf(received), opened_at: last(() => true) },
      opened_directly_at: last(({ visitor }) => visitor === 'person'),
      clicked_at: last(({ kind }) => kind === 'click'),
    },
  ]
}
