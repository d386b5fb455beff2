/** The types of requests and answers. Written by `npm run docs` from the contract. */

export interface Account {
  object: 'account'
  workspace: {
    id: string
    name: string
    slug: string
  }
  key: {
    id: string
    name: string
    /** The beginning of the key, which identifies it. */
    prefix: string
  }
  scopes: string[]
  /** The same as `scopes`. */
  permissions: string[]
  plan: {
    name: string
    monthly_quota: number | null
  }
  quota: {
    limit: number | null
    /** This month, by all workspaces that share it. */
    used: number
    remaining: number | null
    resets_at: string
    /** How many share it: those that people make beside a workspace have its plan and its quota together with it. */
    workspaces: number
  }
  remaining: number | null
  verifiedDomains: string[]
  domains: {
    name: string
    status: string
  }[]
  senders: ({
    id: string
    name: string | null
    email: string
    default: boolean
    created_at: string
    /** The same as `created_at`. */
    createdAt: string
  })[]
  /** Recipients that a campaign would reach. */
  subscribers: number
  sending: {
    status: 'active' | 'suspended'
    suspended_by: 'bounce_rate' | 'complaint_rate' | 'gmail_spam_rate' | null
    /** Hard bounces by hand-offs of 30 days, 0 to 1. */
    bounce_rate: number
    /** Complaints by hand-offs of 30 days, 0 to 1. */
    complaint_rate: number
    suspended_since: string | null
  }
}

export interface AddDomainRequest {
  /** The exact name; its subdomains are not covered. */
  name: string
  return_path_host?: string | null | undefined
  tracking_host?: string | null | undefined
  custom_return_path?: string | null | undefined
  tracking_subdomain?: string | null | undefined
}

export interface ApiDomain {
  object: 'domain'
  /** The same as `name`. */
  id: string
  /** As A-label. */
  name: string
  status: 'pending' | 'verified'
  created_at: string
  verified_at: string | null
  checked_at: string | null
  region: string | null
  /** No mail is received here but bounces and complaints. */
  capabilities: {
    sending: 'enabled'
    receiving: 'disabled'
  }
  records: ApiDomainRecord[]
}

export interface ApiDomainList {
  object: 'list'
  data: ApiDomainSummary[]
  has_more: boolean
  /** Give it as `cursor` for the next page; empty at the end. */
  next_cursor: string
}

export interface ApiDomainRecord {
  /** `SPF` also for the host that bounces come back to. */
  record: 'DKIM' | 'SPF' | 'DMARC' | 'TLSRPT' | 'Tracking'
  /** The whole name. */
  name: string
  type: string
  ttl: 'Auto'
  /** The value to set, given the present record. */
  value: string
  /** Of an MX record. */
  priority?: number | undefined
  /** At the last check: `failed` has another value, `pending` is not there, of `temporary_failure` DNS did not answer. */
  status: 'not_started' | 'verified' | 'failed' | 'pending' | 'temporary_failure'
  /** The domain is verified by it. */
  required: boolean
  /** The present values in DNS. */
  found: string[]
  problem: string | null
}

export interface ApiDomainSummary {
  object: 'domain'
  /** The same as `name`. */
  id: string
  /** As A-label. */
  name: string
  status: 'pending' | 'verified'
  created_at: string
  verified_at: string | null
  checked_at: string | null
  region: string | null
  /** No mail is received here but bounces and complaints. */
  capabilities: {
    sending: 'enabled'
    receiving: 'disabled'
  }
}

export interface ApiMap {
  object: 'api'
  name: string
  version: string
  documentation: string
  openapi: string
  /** Where agents call the same operations as tools, by the Model Context Protocol. */
  mcp: string
  endpoints: ({
    method: string
    path: string
    scope: string | null
    summary: string
  })[]
  scopes: {
    name: string
    description: string
  }[]
}

export interface BounceEvent {
  email_id: string | null
  id: string | null
  from: string
  /** As the header names them. */
  to: string[]
  /** The recipient of this envelope. */
  recipient: string
  subject: string
  tags: Record<string, string>
  created_at: string
  /** The header `Message-ID`, without angle brackets. */
  message_id: string
  campaign_id: string | null
  /** The same as `campaign_id`, as Resend names it; absent for a single message. */
  broadcast_id?: string | undefined
  subscriber_id: string | null
  bounce: {
    /** `hard`: the address does not exist, and was suppressed. */
    type: string
    /** The same as `type`. */
    subType: string
    message: string
    code: string | null
  }
}

export interface Campaign {
  object: 'campaign'
  id: string
  name: string
  subject: string
  preheader: string | null
  from: string | null
  fromName: string | null
  fromEmail: string | null
  status: 'draft' | 'scheduled' | 'sending' | 'sent' | 'archived'
  /** In which of three ways it was written. */
  kind: 'text' | 'content' | 'html'
  reply_to: string[]
  track_opens: boolean
  track_clicks: boolean
  topic: {
    id: string
    /** When its list was frozen, or now. */
    name: string
    left_out: number | null
  } | null
  audience: {
    name: string | null
    /** How many parts it leaves out. */
    exclusions: number
  } | null
  /** The frozen list; 0 before it is sent. */
  recipients: number
  /** The number of recipients that the send froze into the queue, as it answered. */
  queued: number
  /** About hand-off. At every instant `recipients` is the sum of the five. */
  progress: {
    /** Waiting, or being handed over. */
    pending: number
    /** Handed over; what came later is in `counts`. */
    sent: number
    /** Refused or given up, each with its reason. */
    failed: number
    /** Suppressed since the list was frozen: nothing left for them. */
    suppressed: number
    /** Handed over without an answer: held until a person releases them. */
    in_doubt: number
  }
  in_doubt: {
    /** How many: the same as `progress.in_doubt`. */
    recipients: number
    /** The meaning, and the effect of `release`, for human readers; no logic may rely on it. */
    note: string
  } | null
  counts: {
    /** The frozen list. */
    recipients: number
    /** Known to have arrived. */
    delivered: number
    /** Recipients with an open that counts: scanners do not. */
    opened: number
    /** Recipients with a click that counts. */
    clicked: number
    /** The address does not exist. */
    bounced: number
    /** Reported as spam. */
    complained: number
    /** Left by this campaign. */
    unsubscribed: number
  }
  rates: {
    delivered: number | null
    opened: number | null
    clicked: number | null
    bounced: number | null
  }
  /** Whether it stands still while `sending`. */
  paused: boolean
  scheduledAt: string | null
  sentAt: string | null
  completedAt: string | null
  created_at: string
  updated_at: string
  /** The same as `updated_at`. */
  updatedAt: string
}

/** Merge tags: `{{firstName}}`, `{{lastName}}`, `{{email}}`, `{{fields.key}}`, `{{unsubscribe_url}}`, `{{view_url}}`; with a default, `{{firstName | default: "you"}}`. Nothing else is looked up or computed. Unknown keys are ignored. */
export interface CampaignBlock {
  /** The kind of the block. */
  type: 'heading' | 'paragraph' | 'image' | 'button' | 'divider' | 'list' | 'quote' | 'spacer' | 'html' | 'columns'
  /** heading, paragraph, button, quote: the words; `label` is an alias. In headings, paragraphs, quotes and the items of lists `**bold**`, `*italic*`, `[text](https://…)` and bare addresses are understood; `\*` is the sign itself. */
  text?: string | undefined
  /** heading: how large. */
  level?: number | undefined
  /** image: where the picture is, http or https; `url` is an alias. */
  src?: string | undefined
  /** image: what it shows, for those who do not see it. */
  alt?: string | undefined
  /** image: at most so many pixels wide; never wider than the mail. */
  width?: number | undefined
  /** image, button: where it leads, http, https or mailto; `url` is an alias. */
  href?: string | undefined
  /** list: its entries. */
  items?: string[] | undefined
  /** list: whether it counts. */
  ordered?: boolean | undefined
  /** spacer: in pixels. */
  height?: number | undefined
  /** html: a piece of HTML, made safe. */
  html?: string | undefined
  /** The alignment of its content. */
  align?: 'left' | 'center' | 'right' | undefined
  /** Of the words or the line: `#rgb` or `#rrggbb`. Dark mode shows words in its own colour. */
  color?: string | undefined
  /** button: `#rgb` or `#rrggbb`. */
  background?: string | undefined
  /** columns: lists of blocks, without columns of their own. */
  columns?: ColumnBlock[][] | undefined
}

export interface CampaignCreated {
  id: string
  object: 'campaign'
  name: string
  status: 'draft'
}

export interface CampaignDeleted {
  object: 'campaign'
  id: string
  deleted: true
}

export interface CampaignEvent {
  object: 'campaign'
  id: string
  /** The same as `id`. */
  campaign_id: string
  name: string
  subject: string
  status: 'sent'
  recipients: number
  progress: {
    pending: number
    sent: number
    failed: number
    suppressed: number
    in_doubt: number
  }
  in_doubt: {
    /** How many: the same as `progress.in_doubt`. */
    recipients: number
    /** The meaning, and the effect of `release`, for human readers; no logic may rely on it. */
    note: string
  } | null
  sentAt: string | null
  completedAt: string | null
}

export interface CampaignList {
  object: 'list'
  data: Campaign[]
  has_more: boolean
  /** Give it as `cursor` for the next page; empty at the end. */
  next_cursor: string
}

/** Exactly one of `text`, `content` and `html` is required. Unknown keys are ignored, but for those that would change who gets the mail, when or how often, such as `scheduled_at` and `segment_id`: they are refused. */
export interface CampaignRequest {
  /** For you: recipients do not see it. */
  name: string
  /** May hold merge tags. */
  subject: string
  preheader?: string | null | undefined
  from?: string | null | undefined
  replyTo?: string | string[] | null | undefined
  text?: string | null | undefined
  content?: CampaignBlock[] | null | undefined
  html?: string | null | undefined
  trackOpens?: boolean | null | undefined
  trackClicks?: boolean | null | undefined
  reply_to?: string | string[] | null | undefined
  track_opens?: boolean | null | undefined
  track_clicks?: boolean | null | undefined
}

export interface CampaignSent {
  id: string
  object: 'campaign'
  status: 'sending'
  /** How many recipients were frozen into the queue. */
  queued: number
  /** For people; no logic may rely on it. */
  note: string
}

export interface CampaignStats {
  campaign: {
    id: string
    name: string
    subject: string
    status: 'draft' | 'scheduled' | 'sending' | 'sent' | 'archived'
    /** In which of three ways it was written. */
    kind: 'text' | 'content' | 'html'
    fromName: string | null
    fromEmail: string | null
    sentAt: string | null
    scheduledAt: string | null
    updatedAt: string
  }
  counts: {
    /** The frozen list. */
    recipients: number
    /** Known to have arrived. */
    delivered: number
    /** Recipients with an open that counts: scanners do not. */
    opened: number
    /** Recipients with a click that counts. */
    clicked: number
    /** The address does not exist. */
    bounced: number
    /** Reported as spam. */
    complained: number
    /** Left by this campaign. */
    unsubscribed: number
  }
  rates: {
    delivered: number | null
    opened: number | null
    clicked: number | null
    bounced: number | null
  }
  delivery: {
    /** By a report of the provider or the mail server. */
    reported: number
    /** By an open or a click, without a report. */
    engaged: number
    /** Not known: no bounce came within the time set, and nothing else. */
    assumed: number
    assumedShare: number | null
  } | null
  /** Empty while the campaign has not gone out. */
  timeline: {
    /** `0-6h` to `42-48h` after the hand-off began. */
    label: string
    /** First opens in this window. */
    opened: number
    /** First clicks in this window. */
    clicked: number
  }[]
  audience: {
    /** Recipients with an open that counts, by the first of them. */
    total: number
    /** Share of opens that came through a privacy relay. */
    proxiedShare: number
    device: {
      label: string
      /** Recipients. */
      count: number
      share: number
    }[]
    os: {
      label: string
      /** Recipients. */
      count: number
      share: number
    }[]
    client: {
      label: string
      /** Recipients. */
      count: number
      share: number
    }[]
  }
  /** From most to least clicked. */
  links: {
    url: string
    /** All clicks that count; links to unsubscribe never do. */
    clicks: number
  }[]
  /** The message as sent, without personal links; empty if not sent. */
  html: string
}

export interface CampaignTested {
  object: 'campaign_test'
  id: string
  data: {
    /** Of the message. */
    id: string
    to: string
  }[]
}

/** What is given takes the place of what was: content of one kind that of another, and null empties `preheader` and `reply_to`. Unknown keys are ignored, but for those that would change who gets the mail, when or how often, such as `scheduled_at` and `segment_id`: they are refused. */
export interface CampaignUpdate {
  /** For you: recipients do not see it. */
  name?: string | undefined
  /** May hold merge tags. */
  subject?: string | undefined
  preheader?: string | null | undefined
  from?: string | null | undefined
  replyTo?: string | string[] | null | undefined
  text?: string | null | undefined
  content?: CampaignBlock[] | null | undefined
  html?: string | null | undefined
  trackOpens?: boolean | null | undefined
  trackClicks?: boolean | null | undefined
  reply_to?: string | string[] | null | undefined
  track_opens?: boolean | null | undefined
  track_clicks?: boolean | null | undefined
}

export interface CapturedDeleted {
  object: 'captured_mail'
  /** How many were deleted. */
  deleted: number
  /** More may match: call again. */
  has_more: boolean
}

export interface CapturedEntry {
  object: 'captured_mail'
  id: string
  /** The recipient of this envelope: each one has a mail of its own. */
  recipient: string
  from: string
  subject: string
  /** Bytes of the whole mail. */
  size: number
  /** That of its recipient. */
  status: string
  captured_at: string
  message: string | null
}

export interface CapturedList {
  object: 'list'
  data: CapturedEntry[]
  has_more: boolean
  /** Give it as `cursor` for the next page; empty at the end. */
  next_cursor: string
  /** Stands for the moment of this answer: give it as `since` to read only mails that were not there then. */
  cursor: string
}

export interface CapturedMail {
  object: 'captured_mail'
  id: string
  /** The recipient of this envelope: each one has a mail of its own. */
  recipient: string
  from: string
  subject: string
  /** Bytes of the whole mail. */
  size: number
  /** That of its recipient. */
  status: string
  captured_at: string
  message: string | null
  return_path: string
  /** False: its parts cannot be read; the raw mail can still be downloaded. */
  readable: boolean
  text: string | null
  html: string | null
  has_html: boolean
  otp: string | null
  /** Of the HTML part, else of the text: each address once, 100 at most. */
  links: ({
    address: string
    /** Its text; empty: it has only its address. */
    text: string
    leads_to: string | null
  })[]
  headers: ({
    name: string
    /** As it stands, unfolded. */
    value: string
    decoded: string | null
  })[]
  checks: {
    html_bytes: number | null
    images: number
    /** Those that have no `alt`; an empty one means that the image is decorative. */
    images_without_alt: number
    dkim_domain: string | null
    /** The signing domain is that of `From`, or one above it (RFC 9989). */
    dkim_aligned: boolean
    /** It has `List-Unsubscribe`. */
    list_unsubscribe: boolean
    /** And in one click (RFC 8058). */
    one_click: boolean
  } | null
  files: ({
    position: number
    name: string | null
    type: string
    size: number
    content: string | null
  })[]
}

export interface ClickEvent {
  email_id: string | null
  id: string | null
  from: string
  /** As the header names them. */
  to: string[]
  /** The recipient of this envelope. */
  recipient: string
  subject: string
  tags: Record<string, string>
  created_at: string
  /** The header `Message-ID`, without angle brackets. */
  message_id: string
  campaign_id: string | null
  /** The same as `campaign_id`, as Resend names it; absent for a single message. */
  broadcast_id?: string | undefined
  subscriber_id: string | null
  click: {
    link: string
    timestamp: string
    /** Always empty: addresses of readers are given to nobody. */
    ipAddress: string
    userAgent: string
    /** Fetched by a program on the person’s behalf, perhaps unread. */
    machine: boolean
  }
}

/** A block within a column. */
export interface ColumnBlock {
  /** The kind of the block. */
  type: 'heading' | 'paragraph' | 'image' | 'button' | 'divider' | 'list' | 'quote' | 'spacer' | 'html'
  /** heading, paragraph, button, quote: the words; `label` is an alias. In headings, paragraphs, quotes and the items of lists `**bold**`, `*italic*`, `[text](https://…)` and bare addresses are understood; `\*` is the sign itself. */
  text?: string | undefined
  /** heading: how large. */
  level?: number | undefined
  /** image: where the picture is, http or https; `url` is an alias. */
  src?: string | undefined
  /** image: what it shows, for those who do not see it. */
  alt?: string | undefined
  /** image: at most so many pixels wide; never wider than the mail. */
  width?: number | undefined
  /** image, button: where it leads, http, https or mailto; `url` is an alias. */
  href?: string | undefined
  /** list: its entries. */
  items?: string[] | undefined
  /** list: whether it counts. */
  ordered?: boolean | undefined
  /** spacer: in pixels. */
  height?: number | undefined
  /** html: a piece of HTML, made safe. */
  html?: string | undefined
  /** The alignment of its content. */
  align?: 'left' | 'center' | 'right' | undefined
  /** Of the words or the line: `#rgb` or `#rrggbb`. Dark mode shows words in its own colour. */
  color?: string | undefined
  /** button: `#rgb` or `#rrggbb`. */
  background?: string | undefined
}

export interface ComplaintEvent {
  email_id: string | null
  id: string | null
  from: string
  /** As the header names them. */
  to: string[]
  /** The recipient of this envelope. */
  recipient: string
  subject: string
  tags: Record<string, string>
  created_at: string
  /** The header `Message-ID`, without angle brackets. */
  message_id: string
  campaign_id: string | null
  /** The same as `campaign_id`, as Resend names it; absent for a single message. */
  broadcast_id?: string | undefined
  subscriber_id: string | null
  complaint: {
    type: string
  }
}

export interface ContactErased {
  object: 'contact'
  erased: true
  kept: 'unsubscribe' | 'manual' | 'bounce' | 'complaint' | null
}

export interface ContactEvent {
  object: 'subscriber'
  id: string
  email: string
  status: 'pending' | 'subscribed' | 'unsubscribed' | 'bounced' | 'complained'
  firstName: string | null
  lastName: string | null
  tags: string[]
  fields: Record<string, string>
  /** How the contact came: `api`, `form`, `import` or `workspace` (a user in the pages). */
  source: string
  created_at: string
  updated_at: string
  confirmed_at: string | null
  unsubscribed_at: string | null
  /** The one segment, everyone subscribed. */
  audience_id: string
  /** That segment while the contact is subscribed; else empty. */
  segment_ids: string[]
  first_name: string | null
  last_name: string | null
  /** Whether campaigns no longer reach the contact; a pending one has not left. */
  unsubscribed: boolean
}

export interface ContactExport {
  object: 'contact'
  email: string
  subscriber: SubscriberDetail | null
  last_engagement: {
    received_at: string | null
    opened_at: string | null
    opened_directly_at: string | null
    clicked_at: string | null
  } | null
  suppression: SuppressionEntry[]
  consents: ({
    act: string
    topic: string | null
    source: string
    at: string
    shown: string | null
    ip: string | null
    user_agent: string | null
    person: string | null
    email_id: string | null
    campaign_id: string | null
  })[]
  /** Forms that were filled in and wait for the button of the mail. */
  sign_ups: ({
    form_id: string
    created_at: string
    first_name: string | null
    last_name: string | null
    fields: Record<string, string>
    topics: {
      id: string
      subscribed: boolean
    }[] | null
    ip: string | null
    user_agent: string | null
  })[]
  import_refusals: {
    file: string
    line: number
    reason: string
    at: string
  }[]
  /** Single messages, newest first. */
  emails: ({
    email_id: string
    kind: 'to' | 'cc' | 'bcc'
    created_at: string
    subject: string
    status: string
    error: string | null
    response: string | null
    sent_at: string | null
    delivered_at: string | null
    opened_at: string | null
    clicked_at: string | null
  })[]
  /** Mails of campaigns, newest first. */
  campaigns: ({
    campaign_id: string
    name: string
    subject: string
    status: string
    error: string | null
    response: string | null
    sent_at: string | null
    delivered_at: string | null
    opened_at: string | null
    clicked_at: string | null
    unsubscribed_at: string | null
  })[]
  /** Opens and clicks, oldest first. */
  engagement: ({
    kind: 'open' | 'click'
    /** `person`, `relay` or `scanner`. */
    visitor: string
    at: string
    url: string | null
    user_agent: string
    ip: string | null
    email_id: string | null
    campaign_id: string | null
  })[]
  /** False: of a list that has more than 10000 entries, the others are left out; `facteur contact show --json` has all. */
  complete: boolean
}

export interface DelayEvent {
  email_id: string | null
  id: string | null
  from: string
  /** As the header names them. */
  to: string[]
  /** The recipient of this envelope. */
  recipient: string
  subject: string
  tags: Record<string, string>
  created_at: string
  /** The header `Message-ID`, without angle brackets. */
  message_id: string
  campaign_id: string | null
  /** The same as `campaign_id`, as Resend names it; absent for a single message. */
  broadcast_id?: string | undefined
  subscriber_id: string | null
  /** What the mail host said, or why it could not be reached. */
  error: string
}

export interface DeleteCapturedMailsQuery {
  /** Mails to this address, of any case. */
  to?: string | undefined
  /** A part of the subject, of any case. */
  subject?: string | undefined
  /** The `cursor` of an earlier answer: mails that were not there then. Or the `id` of a mail: those captured after it. */
  since?: string | undefined
}

export interface DuplicateCampaignRequest {
  /** Absent: the same. */
  name?: string | undefined
}

export interface Email {
  id: string
  object: 'email'
  from: string
  to: string[]
  subject: string
  created_at: string
  /** When the message leaves; absent where it was not scheduled. */
  scheduled_at?: string | undefined
}

export interface EmailBatch {
  data: Email[]
}

export interface EmailDetail {
  id: string
  object: 'email'
  from: string
  to: string[]
  subject: string
  created_at: string
  cc: string[]
  bcc: string[]
  reply_to: string[]
  status: 'queued' | 'sent' | 'delivered' | 'bounced' | 'complained' | 'failed'
  /** The status, or `scheduled` or `canceled`. */
  last_event: 'queued' | 'scheduled' | 'canceled' | 'sent' | 'delivered' | 'bounced' | 'complained' | 'failed'
  error: string | null
  in_doubt: {
    since: string | null
    decided_by: string | null
  } | null
  tags: Record<string, string> | null
  /** The Message-ID header. */
  message_id: string
  scheduled_at: string | null
  sent_at: string | null
  delivered_at: string | null
  html: string | null
  text: string | null
  /** When its content expired: `html` and `text` are null from then on. Absent while the content is stored. */
  expiredAt?: string | undefined
  recipients: ({
    email: string
    kind: 'to' | 'cc' | 'bcc'
    status: 'queued' | 'sent' | 'delivered' | 'bounced' | 'complained' | 'failed'
    error: string | null
    refusal: {
      /** Names the kind of refusal. */
      cause: string
      provider: string | null
      requirement: 'spf' | 'dkim' | 'dmarc' | 'alignment' | 'one_click' | 'visible_link' | 'reverse_dns' | 'tls' | 'spam_rate' | 'volume' | 'reputation' | 'blocklist' | 'rate' | 'content' | 'recipient_policy' | 'enrolment'
    } | null
    bounce: 'hard' | 'soft' | 'policy' | 'other' | null
    /** Handed over without an answer: it may have left. */
    in_doubt: boolean
    attempts: number
    response: string | null
    sent_at: string | null
    delivered_at: string | null
    delivered_by: string | null
    opened_at: string | null
    clicked_at: string | null
  })[]
}

export interface EmailEvent {
  email_id: string | null
  id: string | null
  from: string
  /** As the header names them. */
  to: string[]
  /** The recipient of this envelope. */
  recipient: string
  subject: string
  tags: Record<string, string>
  created_at: string
  /** The header `Message-ID`, without angle brackets. */
  message_id: string
  campaign_id: string | null
  /** The same as `campaign_id`, as Resend names it; absent for a single message. */
  broadcast_id?: string | undefined
  subscriber_id: string | null
}

export interface EmailList {
  object: 'list'
  data: EmailSummary[]
  has_more: boolean
  /** Give it as `cursor` for the next page; empty at the end. */
  next_cursor: string
}

export interface EmailReference {
  object: 'email'
  id: string
}

/** At least one of `html` and `text` is required. Unknown keys are ignored, but for those of Resend that would change the mail: `template`, `topic_id` and `react` are refused, and `path` of an attachment in a batch. */
export interface EmailRequest {
  /** The sender, on a verified domain of the workspace. An address alone, or `Name <address>`. */
  from: string
  to: string | string[]
  cc?: string | string[] | null | undefined
  bcc?: string | string[] | null | undefined
  subject: string
  html?: string | null | undefined
  text?: string | null | undefined
  replyTo?: string | string[] | null | undefined
  reply_to?: string | string[] | null | undefined
  headers?: Record<string, string> | null | undefined
  tags?: {
    name: string
    value: string
  }[] | Record<string, string> | null | undefined
  attachments?: ({
    filename?: string | null | undefined
    content?: string | number[] | {
      type: 'Buffer'
      /** The file as Node.js writes a Buffer in JSON. */
      data: number[]
    } | undefined
    path?: string | null | undefined
    content_type?: string | null | undefined
    content_id?: string | null | undefined
  })[] | null | undefined
  track_opens?: boolean | null | undefined
  track_clicks?: boolean | null | undefined
  scheduled_at?: string | null | undefined
}

export interface EmailSummary {
  id: string
  object: 'email'
  from: string
  to: string[]
  subject: string
  created_at: string
  cc: string[]
  bcc: string[]
  reply_to: string[]
  status: 'queued' | 'sent' | 'delivered' | 'bounced' | 'complained' | 'failed'
  /** The status, or `scheduled` or `canceled`. */
  last_event: 'queued' | 'scheduled' | 'canceled' | 'sent' | 'delivered' | 'bounced' | 'complained' | 'failed'
  error: string | null
  in_doubt: {
    since: string | null
    decided_by: string | null
  } | null
  tags: Record<string, string> | null
  /** The Message-ID header. */
  message_id: string
  scheduled_at: string | null
  sent_at: string | null
  delivered_at: string | null
}

export interface EmailUpdate {
  /** The new time, as `scheduled_at` of `POST /emails`. */
  scheduled_at: string
}

/** The codes of all refusals. */
export type ErrorCode = 'missing_api_key' | 'invalid_api_key' | 'revoked_api_key' | 'insufficient_scope' | 'reputation_blocked' | 'quota_exceeded' | 'not_found' | 'conflict' | 'idempotency_key_reused' | 'validation_error' | 'unverified_from_domain' | 'suppressed_recipient' | 'rate_limit_exceeded' | 'send_failed' | 'internal_error'

export interface Event {
  /** Begins `evt_`; the same in every retry and replay. */
  id: string
  type: 'email.delivered' | 'email.opened' | 'email.clicked' | 'email.bounced' | 'email.complained' | 'subscriber.created' | 'subscriber.unsubscribed' | 'email.sent' | 'email.failed' | 'subscriber.confirmed' | 'campaign.sent' | 'email.delivery_delayed' | 'email.scheduled' | 'email.suppressed' | 'contact.created' | 'contact.updated' | 'suppression.created'
  created_at: string
  /** The facts of the event, by `type`, as the webhooks list them. */
  data: Record<string, unknown>
}

export interface EventList {
  object: 'list'
  data: Event[]
  has_more: boolean
  /** Give it as `cursor` for the next page; empty at the end. */
  next_cursor: string
}

export interface FailureEvent {
  email_id: string | null
  id: string | null
  from: string
  /** As the header names them. */
  to: string[]
  /** The recipient of this envelope. */
  recipient: string
  subject: string
  tags: Record<string, string>
  created_at: string
  /** The header `Message-ID`, without angle brackets. */
  message_id: string
  campaign_id: string | null
  /** The same as `campaign_id`, as Resend names it; absent for a single message. */
  broadcast_id?: string | undefined
  subscriber_id: string | null
  /** Why. */
  error: string
  failed: {
    /** The same as `error`. */
    reason: string
  }
}

export interface GetStatsQuery {
  /** Days from the day of this time on (RFC 3339), in the workspace’s time zone. */
  from?: string | undefined
  /** Days up to the day of this time, that one included. */
  to?: string | undefined
  by?: 'day' | undefined
}

export interface ListCampaignsQuery {
  /** How many entries a page holds. */
  limit?: number | undefined
  /** The `next_cursor` of the previous answer. */
  cursor?: string | undefined
  status?: 'draft' | 'scheduled' | 'sending' | 'sent' | 'archived' | undefined
  /** Entries older than this id, in place of a cursor. */
  after?: string | undefined
}

export interface ListCapturedMailsQuery {
  /** How many entries a page holds. */
  limit?: number | undefined
  /** The `next_cursor` of the previous answer. */
  cursor?: string | undefined
  /** Mails to this address, of any case. */
  to?: string | undefined
  /** A part of the subject, of any case. */
  subject?: string | undefined
  /** The `cursor` of an earlier answer: mails that were not there then. Or the `id` of a mail: those captured after it. */
  since?: string | undefined
  /** Seconds that the call waits while no mail matches. It answers as soon as one does. */
  wait?: number | undefined
}

export interface ListEmailsQuery {
  /** How many entries a page holds. */
  limit?: number | undefined
  /** The `next_cursor` of the previous answer. */
  cursor?: string | undefined
  status?: 'queued' | 'sent' | 'delivered' | 'bounced' | 'complained' | 'failed' | undefined
  /** One of its addresses. */
  recipient?: string | undefined
  /** `name` or `name:value`. */
  tag?: string | undefined
  /** Accepted at or after: RFC 3339. */
  since?: string | undefined
  /** Accepted before: RFC 3339. */
  until?: string | undefined
  /** Entries older than this id. */
  after?: string | undefined
  /** Entries newer than this id. */
  before?: string | undefined
}

export interface ListEventsQuery {
  /** How many entries a page holds. */
  limit?: number | undefined
  /** Identifier of an event: what was committed after it. Absent: from the oldest that is kept. */
  after?: string | undefined
  /** The `next_cursor` of the previous answer: the same as `after`. */
  cursor?: string | undefined
}

export interface ListRequestsQuery {
  /** How many entries a page holds. */
  limit?: number | undefined
  /** The `next_cursor` of the previous answer. */
  cursor?: string | undefined
  /** This call alone. */
  id?: string | undefined
  /** Entries older than this id, in place of a cursor. */
  after?: string | undefined
  /** Statuses below 400, from 400 on, or from 500 on. */
  status?: 'succeeded' | 'refused' | 'failed' | undefined
  /** The code of the refusal. */
  code?: 'missing_api_key' | 'invalid_api_key' | 'revoked_api_key' | 'insufficient_scope' | 'reputation_blocked' | 'quota_exceeded' | 'not_found' | 'conflict' | 'idempotency_key_reused' | 'validation_error' | 'unverified_from_domain' | 'suppressed_recipient' | 'rate_limit_exceeded' | 'send_failed' | 'internal_error' | undefined
  /** Name of the operation, such as `sendEmail`. */
  operation?: string | undefined
  /** Identifier of the key. */
  key?: string | undefined
  /** The `X-Request-Id` of the answer. */
  request_id?: string | undefined
  /** Identifier of a message that it made. */
  message?: string | undefined
  /** Identifier of the campaign that it created or sent. */
  campaign?: string | undefined
  /** Calls from then on. */
  from?: string | undefined
  /** Calls before then. */
  to?: string | undefined
}

export interface ListSubscriberImportsQuery {
  /** How many entries a page holds. */
  limit?: number | undefined
  /** The `next_cursor` of the previous answer. */
  cursor?: string | undefined
}

export interface ListSubscribersQuery {
  /** How many entries a page holds. */
  limit?: number | undefined
  /** The `next_cursor` of the previous answer. */
  cursor?: string | undefined
  status?: 'pending' | 'subscribed' | 'unsubscribed' | 'bounced' | 'complained' | undefined
  /** Part of the address or of a name, whatever its case and accents; one or two characters are looked for where a word begins. */
  q?: string | undefined
  /** Entries older than this id, in place of a cursor. */
  after?: string | undefined
}

export interface ListSuppressionQuery {
  /** How many entries a page holds. */
  limit?: number | undefined
  /** The `next_cursor` of the previous answer. */
  cursor?: string | undefined
  /** Checks one address. */
  email?: string | undefined
  /** This entry of the workspace alone. */
  id?: string | undefined
  /** Entries older than this id, in place of a cursor. */
  after?: string | undefined
}

export interface ListWebhookDeliveriesQuery {
  /** How many entries a page holds. */
  limit?: number | undefined
  /** The `next_cursor` of the previous answer. */
  cursor?: string | undefined
}

export interface ListWebhooksQuery {
  /** How many entries a page holds. */
  limit?: number | undefined
  /** The `next_cursor` of the previous answer. */
  cursor?: string | undefined
  /** Webhooks older than this id. */
  after?: string | undefined
  /** Webhooks newer than this id. */
  before?: string | undefined
}

export interface OpenEvent {
  email_id: string | null
  id: string | null
  from: string
  /** As the header names them. */
  to: string[]
  /** The recipient of this envelope. */
  recipient: string
  subject: string
  tags: Record<string, string>
  created_at: string
  /** The header `Message-ID`, without angle brackets. */
  message_id: string
  campaign_id: string | null
  /** The same as `campaign_id`, as Resend names it; absent for a single message. */
  broadcast_id?: string | undefined
  subscriber_id: string | null
  open: {
    at: string
    userAgent: string
    /** Fetched by a program on the person’s behalf, perhaps unread. */
    machine: boolean
    /** Through a privacy relay. */
    proxied: boolean
  }
}

export interface RangeReplay {
  object: 'webhook_replay'
  webhook_id: string
  /** Deliveries that go out again, by the workers. */
  queued: number
  /** Events from before this moment have expired and were left out. Absent: none were left out. */
  expiredBefore?: string | undefined
}

export interface RangeReplayRequest {
  /** Events from then on. */
  from: string
  /** Events before then; absent: until now. */
  to?: string | undefined
  /** `undelivered`: failed events, and those that it missed while it was disabled. `all`: also delivered ones. */
  only?: 'undelivered' | 'all' | undefined
}

export interface RequestEntry {
  object: 'request'
  id: string
  at: string
  operation: string | null
  /** Whether it came by MCP. */
  mcp: boolean
  /** 499: the caller left before its request was whole. 400 also where MCP refuses a message with an error of JSON-RPC. */
  status: number
  code: string | null
  /** Until the answer was ready. */
  duration_ms: number
  /** The `X-Request-Id` of the answer. */
  request_id: string
  /** Where it came from. */
  address: string
  key: {
    id: string
    name: string
  }
  /** The messages that it made, or those of the call that it repeated. */
  message_ids: string[]
  campaign_id: string | null
  /** How many calls of this key, operation and code it stands for: of many successes some are stored for all, and of 401, 403 and 429 beyond 600 a minute. */
  calls: number
}

export interface RequestList {
  object: 'list'
  data: RequestEntry[]
  has_more: boolean
  /** Give it as `cursor` for the next page; empty at the end. */
  next_cursor: string
}

export interface RescheduledEmail {
  object: 'email'
  id: string
  scheduled_at: string
}

export interface RotateWebhookSecretQuery {
  /** For how long calls are signed with the old secret as well. */
  overlap_hours?: number | undefined
}

export interface ScheduleCampaignRequest {
  /** At most a year ahead: RFC 3339, or words such as `in 1 hour`, `tomorrow at 9am` and `Friday at 3pm ET`, in UTC unless they name a zone. */
  scheduledAt?: string | undefined
  /** Alias of `scheduledAt`; supply only one of the two. */
  scheduled_at?: string | undefined
}

export interface ScheduleEvent {
  email_id: string | null
  id: string | null
  from: string
  /** As the header names them. */
  to: string[]
  /** The recipient of this envelope. */
  recipient: string
  subject: string
  tags: Record<string, string>
  created_at: string
  /** The header `Message-ID`, without angle brackets. */
  message_id: string
  campaign_id: string | null
  /** The same as `campaign_id`, as Resend names it; absent for a single message. */
  broadcast_id?: string | undefined
  subscriber_id: string | null
  scheduled_at: string
}

export interface SendCampaignQuery {
  /** The number of recipients that was agreed to: when another number would be reached, nothing is sent. */
  confirm_recipients?: number | undefined
}

export interface SendDraftTestRequest {
  to?: string | string[] | null | undefined
}

export interface Stats {
  object: 'stats'
  by: 'day'
  /** The oldest first, thirty at most. */
  data: ({
    /** Of the workspace’s time zone. */
    day: string
    counts: {
      /** Arrived. */
      delivered: number
      assumed: number | null
      /** Without feedback yet, including mail that has not left. */
      waiting: number
      /** The address does not exist. */
      bounced: number
      /** Arrived, and reported as spam. */
      complained: number
      /** Given up or refused for a reason that is not the address. */
      failed: number
      sent: number | null
      opened: number | null
      opened_by_relay: number | null
      clicked: number | null
      opens_tracked: number | null
      clicks_tracked: number | null
    } | null
  })[]
  /** Of the days that are counted; null where one of them is. */
  totals: {
    /** Arrived. */
    delivered: number
    assumed: number | null
    /** Without feedback yet, including mail that has not left. */
    waiting: number
    /** The address does not exist. */
    bounced: number
    /** Arrived, and reported as spam. */
    complained: number
    /** Given up or refused for a reason that is not the address. */
    failed: number
    sent: number | null
    opened: number | null
    opened_by_relay: number | null
    clicked: number | null
    opens_tracked: number | null
    clicks_tracked: number | null
  }
  /** False: a day is not counted yet; ask again. */
  complete: boolean
}

export interface Subscriber {
  object: 'subscriber'
  id: string
  email: string
  status: 'pending' | 'subscribed' | 'unsubscribed' | 'bounced' | 'complained'
  firstName: string | null
  lastName: string | null
  tags: string[]
  fields: Record<string, string>
  /** How the contact came: `api`, `form`, `import` or `workspace` (a user in the pages). */
  source: string
  created_at: string
  updated_at: string
  confirmed_at: string | null
  unsubscribed_at: string | null
}

export interface SubscriberBatch {
  /** In the order of the entries. */
  data: SubscriberBatchResult[]
  /** How many contacts are new. */
  created: number
  /** How many were known. */
  updated: number
  /** How many were refused. */
  refused: number
  confirmations: {
    /** Mails of this batch that ask to confirm. */
    sent: number
    last_at: string | null
    /** How many confirmations of batches and files leave in a minute. */
    per_minute: number
  }
}

export interface SubscriberBatchResult {
  object: 'subscriber'
  email: string | null
  /** `created`: the contact is new. `updated`: what was sent is merged into the record. `refused`: nothing was changed, and `error` says why. */
  result: 'created' | 'updated' | 'refused'
  id: string | null
  status: 'pending' | 'subscribed' | 'unsubscribed' | 'bounced' | 'complained' | null
  confirmation_at: string | null
  error: {
    /** As `error.code` of `POST /subscribers`. */
    code: string
    message: string
    details: Record<string, unknown>
  } | null
}

export interface SubscriberDetail {
  object: 'subscriber'
  id: string
  email: string
  status: 'pending' | 'subscribed' | 'unsubscribed' | 'bounced' | 'complained'
  firstName: string | null
  lastName: string | null
  tags: string[]
  fields: Record<string, string>
  /** How the contact came: `api`, `form`, `import` or `workspace` (a user in the pages). */
  source: string
  created_at: string
  updated_at: string
  confirmed_at: string | null
  unsubscribed_at: string | null
  language: 'fr' | 'en' | 'de' | 'es' | 'it' | 'nl' | 'pt' | null
  /** The topics of the workspace, as the contact chose them. */
  topics: {
    id: string
    name: string
    /** By their choice or, where they never chose, by the default of the topic. */
    subscribed: boolean
  }[]
}

export interface SubscriberEvent {
  object: 'subscriber'
  id: string
  email: string
  status: 'pending' | 'subscribed' | 'unsubscribed' | 'bounced' | 'complained'
  firstName: string | null
  lastName: string | null
  tags: string[]
  fields: Record<string, string>
  /** How the contact came: `api`, `form`, `import` or `workspace` (a user in the pages). */
  source: string
  created_at: string
  updated_at: string
  confirmed_at: string | null
  unsubscribed_at: string | null
  reason: string | null
}

export interface SubscriberImport {
  object: 'import'
  id: string
  name: string
  /** `importing`, then `imported`, or `failed` with its cause. `kept`, `trying` and `tried`: a user has not begun it. `stopped`: a user ended it early. */
  state: 'kept' | 'trying' | 'tried' | 'importing' | 'stopped' | 'imported' | 'failed'
  counts: {
    /** Lines that were looked at. */
    people: number
    new: number
    updated: number
    refused: number
    reasons: Record<string, number>
  } | null
  created_at: string
  started_at: string | null
  ended_at: string | null
  /** Words of a status that are not known, with how many lines have them: nothing is imported before `status_words` says what each means. */
  unknown_words: {
    column: string
    word: string
    count: number
  }[]
  /** Characters that may divide the tags of one cell, with how many lines have them: nothing is imported before `tag_separators` says which do. */
  unknown_separators: {
    separator: string
    count: number
    example: string
  }[]
  /** The first refused lines. */
  refusals: {
    line: number
    email: string
    reason: string
  }[]
  failure: Record<string, string> | null
  confirmations_until: string | null
}

export interface SubscriberImportList {
  object: 'list'
  data: ({
    object: 'import'
    id: string
    name: string
    /** `importing`, then `imported`, or `failed` with its cause. `kept`, `trying` and `tried`: a user has not begun it. `stopped`: a user ended it early. */
    state: 'kept' | 'trying' | 'tried' | 'importing' | 'stopped' | 'imported' | 'failed'
    counts: {
      /** Lines that were looked at. */
      people: number
      new: number
      updated: number
      refused: number
      reasons: Record<string, number>
    } | null
    created_at: string
    started_at: string | null
    ended_at: string | null
  })[]
  has_more: boolean
  /** Give it as `cursor` for the next page; empty at the end. */
  next_cursor: string
}

/** Unknown keys are ignored, but for those that `POST /subscribers` refuses, such as `status` and `list_ids`: they are refused here too. */
export interface SubscriberImportRequest {
  /** The file: separated values, whose first line names the columns. Commas, semicolons or tabs divide them. */
  csv: string
  /** `true`: each new contact is asked to confirm, at the pace of confirmations. `false`: subscribed at once, by the word of `consent`. It has no default. */
  double_opt_in: boolean
  /** Needed with `double_opt_in: false`, and only then: the words of these contacts’ consent, stored as evidence for each. */
  consent?: string | undefined
  /** What the import is called; absent: `contacts.csv`. */
  name?: string | undefined
  tags?: string[] | undefined
  /** What columns hold whose header does not say it, by header: `email`, `firstName`, `lastName`, `name`, `tags`, `status`, `attributes`, `fields.KEY`; `none`: nothing is taken from it. */
  columns?: Record<string, string> | undefined
  /** What words of a status column mean that are not known, or otherwise than they are known. */
  status_words?: ({
    word: string
    meaning: 'subscribed' | 'pending' | 'unsubscribed' | 'bounced' | 'complained'
  })[] | undefined
  tag_separators?: string | null | undefined
}

export interface SubscriberList {
  object: 'list'
  data: Subscriber[]
  has_more: boolean
  /** Give it as `cursor` for the next page; empty at the end. */
  next_cursor: string
}

/** Unknown keys are ignored, but for those that would change whether the contact gets mail, and which, such as `unsubscribed`, `status` and `list_ids`: they are refused. */
export interface SubscriberRequest {
  /** One address alone; kept in lower case. */
  email: string
  /** Absent: as it is. Empty: cleared. */
  firstName?: string | undefined
  /** Absent: as it is. Empty: cleared. */
  lastName?: string | undefined
  /** Alias of `firstName`; supply only one of the two. */
  prenom?: string | undefined
  /** Alias of `lastName`; supply only one of the two. */
  nom?: string | undefined
  /** Added to those that are there; a tag that does not exist yet is created. */
  tags?: string[] | undefined
  /** Custom fields by key, merged into those that are there; an empty value clears. A key is `a` to `z`, digits and `_`, begins with a letter, has at most 60 characters, and is defined by its first use. A value must fit the type of its field, where it has one. */
  fields?: Record<string, string> | undefined
  /** `false`: registered directly, without a confirmation; the caller answers for the consent. */
  double_opt_in?: boolean | undefined
}

export interface SubscriberResult {
  object: 'subscriber'
  id: string
  email: string
  status: 'pending' | 'subscribed' | 'unsubscribed' | 'bounced' | 'complained'
  firstName: string | null
  lastName: string | null
  tags: string[]
  fields: Record<string, string>
  /** How the contact came: `api`, `form`, `import` or `workspace` (a user in the pages). */
  source: string
  created_at: string
  updated_at: string
  confirmed_at: string | null
  unsubscribed_at: string | null
  /** Whether the person is new. */
  created: boolean
  /** Whether this call asked the person to confirm: a pending one is asked again at most once an hour. */
  confirmation_sent: boolean
}

export interface SuppressionEntry {
  object: 'suppression'
  id: string
  email: string
  reason: 'unsubscribe' | 'manual' | 'bounce' | 'complaint'
  /** Excluded for this workspace, or for the whole platform. */
  scope: 'organization' | 'platform'
  source_id: string | null
  created_at: string
}

export interface SuppressionList {
  object: 'list'
  data: SuppressionEntry[]
  has_more: boolean
  /** Give it as `cursor` for the next page; empty at the end. */
  next_cursor: string
}

export interface SuppressionRequest {
  email: string
  reason?: 'unsubscribe' | 'manual' | 'bounce' | 'complaint' | undefined
}

/** The event of a test of the webhook, of any type. */
export interface TestEvent {
  /** Only a test has this field. */
  test: true
}

export interface Unsubscribed {
  object: 'subscriber'
  email: string
  status: 'unsubscribed'
  /** Whether the address is on the suppression list. */
  suppressed: boolean
  /** The record is kept. */
  deleted: false
}

export interface Webhook {
  object: 'webhook'
  id: string
  name: string
  url: string
  /** The same as `url`. */
  endpoint: string
  events: ('email.delivered' | 'email.opened' | 'email.clicked' | 'email.bounced' | 'email.complained' | 'subscriber.created' | 'subscriber.unsubscribed' | 'email.sent' | 'email.failed' | 'subscriber.confirmed' | 'campaign.sent' | 'email.delivery_delayed' | 'email.scheduled' | 'email.suppressed' | 'contact.created' | 'contact.updated' | 'suppression.created')[]
  enabled: boolean
  /** The same as `enabled`, in words. */
  status: 'enabled' | 'disabled'
  created_at: string
  updated_at: string
}

export interface WebhookDeleted {
  object: 'webhook'
  id: string
  deleted: boolean
}

export interface WebhookDelivery {
  object: 'webhook_delivery'
  id: string
  webhook_id: string
  event_id: string
  type: 'email.delivered' | 'email.opened' | 'email.clicked' | 'email.bounced' | 'email.complained' | 'subscriber.created' | 'subscriber.unsubscribed' | 'email.sent' | 'email.failed' | 'subscriber.confirmed' | 'campaign.sent' | 'email.delivery_delayed' | 'email.scheduled' | 'email.suppressed' | 'contact.created' | 'contact.updated' | 'suppression.created'
  status: 'delivered' | 'pending' | 'failed'
  /** Begun so far. */
  attempts: number
  response_status: number | null
  response_body: string | null
  error: string | null
  duration_ms: number | null
  /** Whether the test operation made it. */
  test: boolean
  created_at: string
  last_attempt_at: string | null
  next_attempt_at: string | null
  /** Each attempt, the last fifty. */
  attempt_log: ({
    attempt: number
    at: string
    status: 'delivered' | 'failed'
    response_status: number | null
    response_body: string | null
    error: string | null
    duration_ms: number | null
  })[]
}

export interface WebhookDeliveryList {
  object: 'list'
  data: WebhookDelivery[]
  has_more: boolean
  /** Give it as `cursor` for the next page; empty at the end. */
  next_cursor: string
}

/** The event of a webhook call: `type` determines the fields of `data`. Only a test has `'test' in event.data`. */
export type WebhookEvent = {
  /** Begins `evt_`; the same in every retry and replay. */
  id: string
  type: 'email.delivered'
  created_at: string
  data: EmailEvent | TestEvent
} | {
  /** Begins `evt_`; the same in every retry and replay. */
  id: string
  type: 'email.opened'
  created_at: string
  data: OpenEvent | TestEvent
} | {
  /** Begins `evt_`; the same in every retry and replay. */
  id: string
  type: 'email.clicked'
  created_at: string
  data: ClickEvent | TestEvent
} | {
  /** Begins `evt_`; the same in every retry and replay. */
  id: string
  type: 'email.bounced'
  created_at: string
  data: BounceEvent | TestEvent
} | {
  /** Begins `evt_`; the same in every retry and replay. */
  id: string
  type: 'email.complained'
  created_at: string
  data: ComplaintEvent | TestEvent
} | {
  /** Begins `evt_`; the same in every retry and replay. */
  id: string
  type: 'subscriber.created'
  created_at: string
  data: SubscriberEvent | TestEvent
} | {
  /** Begins `evt_`; the same in every retry and replay. */
  id: string
  type: 'subscriber.unsubscribed'
  created_at: string
  data: SubscriberEvent | TestEvent
} | {
  /** Begins `evt_`; the same in every retry and replay. */
  id: string
  type: 'email.sent'
  created_at: string
  data: EmailEvent | TestEvent
} | {
  /** Begins `evt_`; the same in every retry and replay. */
  id: string
  type: 'email.failed'
  created_at: string
  data: FailureEvent | TestEvent
} | {
  /** Begins `evt_`; the same in every retry and replay. */
  id: string
  type: 'subscriber.confirmed'
  created_at: string
  data: SubscriberEvent | TestEvent
} | {
  /** Begins `evt_`; the same in every retry and replay. */
  id: string
  type: 'campaign.sent'
  created_at: string
  data: CampaignEvent | TestEvent
} | {
  /** Begins `evt_`; the same in every retry and replay. */
  id: string
  type: 'email.delivery_delayed'
  created_at: string
  data: DelayEvent | TestEvent
} | {
  /** Begins `evt_`; the same in every retry and replay. */
  id: string
  type: 'email.scheduled'
  created_at: string
  data: ScheduleEvent | TestEvent
} | {
  /** Begins `evt_`; the same in every retry and replay. */
  id: string
  type: 'email.suppressed'
  created_at: string
  data: WithheldEvent | TestEvent
} | {
  /** Begins `evt_`; the same in every retry and replay. */
  id: string
  type: 'contact.created'
  created_at: string
  data: ContactEvent | TestEvent
} | {
  /** Begins `evt_`; the same in every retry and replay. */
  id: string
  type: 'contact.updated'
  created_at: string
  data: ContactEvent | TestEvent
} | {
  /** Begins `evt_`; the same in every retry and replay. */
  id: string
  type: 'suppression.created'
  created_at: string
  data: SuppressionEntry | TestEvent
}

export interface WebhookList {
  object: 'list'
  data: Webhook[]
  has_more: boolean
  /** Give it as `cursor` for the next page; empty at the end. */
  next_cursor: string
}

export interface WebhookReplay {
  object: 'webhook_delivery'
  id: string
  status: 'delivered' | 'failed'
  /** Begun so far. */
  attempts: number
  response_status: number | null
  error: string | null
}

export interface WebhookRequest {
  /** Where events are posted: https, without user and password. http goes to addresses in a range that the operator allows only. */
  url?: string | undefined
  /** The same as `url`, as Resend names it. Both may stand only with one value. */
  endpoint?: string | undefined
  /** Absent: the host of the URL. */
  name?: string | undefined
  /** `false`: no new events are recorded for it and nothing is sent; the journal stays. */
  enabled?: boolean | undefined
  /** `enabled` in words, as Resend has it. Both may stand only when they agree. */
  status?: 'enabled' | 'disabled' | undefined
  /** The types that it receives. */
  events: ('email.delivered' | 'email.opened' | 'email.clicked' | 'email.bounced' | 'email.complained' | 'subscriber.created' | 'subscriber.unsubscribed' | 'email.sent' | 'email.failed' | 'subscriber.confirmed' | 'campaign.sent' | 'email.delivery_delayed' | 'email.scheduled' | 'email.suppressed' | 'contact.created' | 'contact.updated' | 'suppression.created')[]
}

export interface WebhookTest {
  object: 'webhook_test'
  delivery_id: string
  status: 'delivered' | 'failed'
  /** Begun so far. */
  attempts: number
  response_status: number | null
  error: string | null
}

export interface WebhookUpdate {
  /** Where events are posted: https, without user and password. http goes to addresses in a range that the operator allows only. */
  url?: string | undefined
  /** The same as `url`, as Resend names it. Both may stand only with one value. */
  endpoint?: string | undefined
  /** Absent: the host of the URL. */
  name?: string | undefined
  /** `false`: no new events are recorded for it and nothing is sent; the journal stays. */
  enabled?: boolean | undefined
  /** `enabled` in words, as Resend has it. Both may stand only when they agree. */
  status?: 'enabled' | 'disabled' | undefined
  /** The types that it receives. */
  events?: ('email.delivered' | 'email.opened' | 'email.clicked' | 'email.bounced' | 'email.complained' | 'subscriber.created' | 'subscriber.unsubscribed' | 'email.sent' | 'email.failed' | 'subscriber.confirmed' | 'campaign.sent' | 'email.delivery_delayed' | 'email.scheduled' | 'email.suppressed' | 'contact.created' | 'contact.updated' | 'suppression.created')[] | undefined
}

export interface WebhookWithSecret {
  object: 'webhook'
  id: string
  name: string
  url: string
  /** The same as `url`. */
  endpoint: string
  events: ('email.delivered' | 'email.opened' | 'email.clicked' | 'email.bounced' | 'email.complained' | 'subscriber.created' | 'subscriber.unsubscribed' | 'email.sent' | 'email.failed' | 'subscriber.confirmed' | 'campaign.sent' | 'email.delivery_delayed' | 'email.scheduled' | 'email.suppressed' | 'contact.created' | 'contact.updated' | 'suppression.created')[]
  enabled: boolean
  /** The same as `enabled`, in words. */
  status: 'enabled' | 'disabled'
  created_at: string
  updated_at: string
  /** `whsec_` and 32 bytes in base64. `Service-Signature` is keyed with this text, `webhook-signature` (and `svix-signature`) with the decoded bytes. */
  secret: string
  /** The same as `secret`. */
  signing_secret: string
}

export interface WithheldEvent {
  email_id: string | null
  id: string | null
  from: string
  /** As the header names them. */
  to: string[]
  /** The recipient of this envelope. */
  recipient: string
  subject: string
  tags: Record<string, string>
  created_at: string
  /** The header `Message-ID`, without angle brackets. */
  message_id: string
  campaign_id: string | null
  /** The same as `campaign_id`, as Resend names it; absent for a single message. */
  broadcast_id?: string | undefined
  subscriber_id: string | null
  suppressed: {
    message: string
    type: 'unsubscribe' | 'manual' | 'bounce' | 'complaint'
  }
}
