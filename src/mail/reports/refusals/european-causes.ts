/**
 * Lists the refusals of providers in France and Germany, and of Mail.ru and Yandex, that name their
 * cause.
 */
import { causesOf } from './refusal-cause.ts'

const readOn = '2026-11-26'

/**
 * A code of Orange or La Poste: `OFR_506`, `OFR006_102`, `LPN105-104`. Its last three digits say
 * why.
 */
const code = (prefix: string, ...numbers: number[]): RegExp =>
  new RegExp(`\\b(?:${prefix})(?:\\d{3})?[-_]?(?:${numbers.join('|')})\\b`, 'i')

const orange = causesOf(
  {
    provider: 'Orange',
    source: 'https://www.postmastery.com/orange-postmaster-smtp-error-codes-ofr/',
    readOn,
  },
  [
    {
      id: 'orange_spam',
      requirement: 'spam_rate',
      says: code('OFR', 102),
      link: 'https://postmaster.orange.fr/',
    },
    {
      id: 'orange_refused',
      requirement: 'reputation',
      says: code('OFR', 103, 105, 510, 999),
      link: 'https://postmaster.orange.fr/',
    },
    { id: 'orange_rate', requirement: 'rate', says: code('OFR', 104) },
    { id: 'orange_dmarc', requirement: 'alignment', says: code('OFR', 109) },
    { id: 'orange_spf', requirement: 'spf', says: code('OFR', 401) },
    { id: 'orange_content', requirement: 'content', says: code('OFR|OUK', 506, 513) },
  ],
)

const laPoste = causesOf(
  {
    provider: 'La Poste',
    source: 'https://www.postmastery.com/laposte-net-postmaster-smtp-error-codes-lpn/',
    readOn,
  },
  [
    { id: 'laposte_rate', requirement: 'rate', says: code('LPN', 104) },
    { id: 'laposte_spf', requirement: 'spf', says: code('LPN', 401) },
    { id: 'laposte_refused', requirement: 'reputation', says: code('LPN', 102, 103, 503) },
    { id: 'laposte_content', requirement: 'content', says: code('LPN', 506, 510) },
    { id: 'laposte_dmarc', requirement: 'alignment', says: code('LPN', 517) },
  ],
)

/** The last two digits say why. */
const sfr = causesOf(
  {
    provider: 'SFR',
    source: 'https://www.postmastery.com/all-about-isp-sfr-and-smtp-error-codes-sfr_in_xxx/',
    readOn,
  },
  [
    {
      id: 'sfr_spam',
      requirement: 'spam_rate',
      says: /\bSFR_IN_\d01\b/i,
      link: 'https://www.signal-spam.fr/',
    },
    { id: 'sfr_content', requirement: 'content', says: /\bSFR_IN_\d02\b/i },
    { id: 'sfr_reputation', requirement: 'reputation', says: /\bSFR_IN_\d0[34]\b/i },
    { id: 'sfr_rate', requirement: 'rate', says: /\bSFR_IN_\d05\b/i },
  ],
)

const free = causesOf({ provider: 'Free', source: 'http://postmaster.free.fr/', readOn }, [
  {
    id: 'free_spam',
    requirement: 'spam_rate',
    says: /too many spams from your ip/i,
    link: 'http://postmaster.free.fr/',
  },
  {
    id: 'free_errors',
    requirement: 'reputation',
    says: /too many errors detected from your ip/i,
    link: 'http://postmaster.free.fr/',
  },
  { id: 'free_content', requirement: 'content', says: /spam detected.{0,40}postmaster\.free\.fr/i },
])

/** All four brands run the same servers. */
const gmx = causesOf(
  { provider: 'GMX, WEB.DE', source: 'https://postmaster.gmx.net/en/error-messages', readOn },
  [
    {
      id: 'gmx_block_list',
      requirement: 'blocklist',
      says: /no smtp service.{0,12}ip address is (?:block|black) ?listed/i,
      link: 'https://postmaster.gmx.net/en/contact',
    },
    { id: 'gmx_ptr', requirement: 'reverse_dns', says: /bad dns ptr resource record/i },
    { id: 'gmx_spf', requirement: 'spf', says: /reject due to spf policy/i },
    { id: 'gmx_content', requirement: 'content', says: /reject due to policy restrictions/i },
    { id: 'gmx_violations', requirement: 'reputation', says: /reject due to policy violations/i },
    {
      id: 'gmx_rate',
      requirement: 'rate',
      says: /rate limit reached\. ?please try again later/i,
      source: 'https://postmaster.web.de/en/error-messages',
    },
  ],
)

const others = [
  ...causesOf({ provider: 'Telekom', source: 'https://postmaster.t-online.de/', readOn }, [
    {
      id: 'telekom_reputation',
      requirement: 'reputation',
      says: /ask your postmaster for help or to contact/i,
      link: 'https://postmaster.t-online.de/',
    },
  ]),
  ...causesOf(
    { provider: 'Bluewin', source: 'https://github.com/hitobito/hitobito/issues/953', readOn },
    [
      {
        id: 'bluewin_reputation',
        requirement: 'reputation',
        says: /ip reputation ratelimit in effect/i,
      },
    ],
  ),
  ...causesOf(
    { provider: 'Mail.ru', source: 'https://help.mail.ru/developers/mailing_rules/', readOn },
    [
      { id: 'mailru_content', requirement: 'content', says: /help\.mail\.ru\/notspam/i },
      {
        id: 'mailru_ptr',
        requirement: 'reverse_dns',
        says: /do not accept mail from hosts with dynamic ip or generic dns ptr/i,
      },
    ],
  ),
  ...causesOf(
    {
      provider: 'Yandex',
      source: 'https://yandex.com/support/mail/web/letter/create.html',
      readOn,
    },
    [
      {
        id: 'yandex_content',
        requirement: 'content',
        says: /message rejected under suspicion of spam/i,
      },
    ],
  ),
]

export const europeanCauses = [...orange, ...laPoste, ...sfr, ...free, ...gmx, ...others]
