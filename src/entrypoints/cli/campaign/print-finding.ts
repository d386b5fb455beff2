/** Findings of preflight as sentences for an operator, each with its next step where there is one. */
import type { Finding, FindingReason } from '../../../core/campaigns/preflight/finding.ts'
import { numberCell } from '../result.ts'

interface Told {
  message: string
  next?: string
}

interface About {
  slug: string
  id: string
}

export function printFinding(finding: Finding, about: About): Told {
  if (finding.reason === 'good') return { message: good(finding) }
  return sentences[finding.reason](finding.details, about)
}

type Details = Finding['details']

const number = (value: string | number | undefined): string => numberCell(Number(value))

const sentences: Record<Exclude<FindingReason, 'good'>, (details: Details, about: About) => Told> = {
  unfinished: () => ({
    message: 'Its editor holds what cannot be sent as it is: its send is refused.',
    next: 'Finish it there, or give its content anew: facteur campaign set.',
  }),
  no_sender: (_, { slug, id }) => ({
    message: 'It has no sender: its send is refused.',
    next: `facteur sender add --workspace ${slug} ADDRESS, then facteur campaign set --workspace ${slug} ${id} --from ADDRESS`,
  }),
  domain_absent: ({ domain }, { slug }) => ({
    message: `${domain} is no domain of the workspace: its send is refused.`,
    next: `facteur domain add --workspace ${slug} ${domain}`,
  }),
  domain_pending: ({ domain }, { slug }) => ({
    message: `${domain} is not verified: its send is refused.`,
    next: `facteur domain verify --workspace ${slug} ${domain}, which tells what its DNS has to show`,
  }),
  authentication_kept_here: ({ domain }) => ({ message: `DNS of ${domain} is not asked: mail stays in the capture mailbox` }),
  not_signed: ({ domain }, { slug }) => ({
    message: `No mail of ${domain} is signed from here: Gmail and Yahoo ask bulk senders for DKIM, which then your relay has to add.`,
    next: `facteur domain verify --workspace ${slug} ${domain}`,
  }),
  key_not_found: ({ domain }, { slug }) => ({
    message: `The DKIM key of ${domain} is not in DNS any more: its signatures fail.`,
    next: `facteur domain verify --workspace ${slug} ${domain}`,
  }),
  spf_not_known: ({ domain }) => ({
    message: `not looked at: it is not known what mail of ${domain} leaves from (FACTEUR_SPF tells)`,
  }),
  spf_fails: ({ domain, expected }) => ({
    message: `SPF of ${domain} does not let mail from here through.`,
    next: `Set its TXT record: ${expected}`,
  }),
  no_dmarc: ({ domain }) => ({
    message: `${domain} has no DMARC policy, which Gmail and Yahoo ask of whoever sends more than 5,000 mails a day.`,
    next: `Set a TXT record at _dmarc.${domain}: v=DMARC1; p=none`,
  }),
  dmarc_fails: ({ domain, policy }, { slug }) => ({
    message: `Neither DKIM nor SPF speaks for ${domain} from here, and its DMARC policy for such mail is ${policy}.`,
    next: `facteur domain verify --workspace ${slug} ${domain}`,
  }),
  dns_unanswered: ({ name }) => ({
    message: `DNS does not answer for ${name}: nothing is known.`,
    next: 'Ask again in a while.',
  }),
  no_postal_address: (_, { slug }) => ({
    message: 'The footer has no postal address, which laws such as CAN-SPAM ask for.',
    next: `facteur workspace set ${slug} --postal-address "1 Main Street\\n75001 Paris"`,
  }),
  base_url_unknown: ({ url, host }) => ({
    message: `${url}: nobody knows the name ${host}; links to unsubscribe would lead nowhere.`,
    next: 'Set FACTEUR_BASE_URL to an address that recipients can reach.',
  }),
  base_url_private: ({ url }) => ({
    message: `${url} cannot be reached from outside; links to unsubscribe would lead nowhere.`,
    next: 'Set FACTEUR_BASE_URL to an address that recipients can reach.',
  }),
  base_url_kept_here: ({ url }) => ({ message: `${url} is this machine alone, and so is the capture mailbox` }),
  base_url_without_tls: ({ url }) => ({
    message: `${url} is without TLS: mailboxes do not trust such links.`,
    next: 'Put a proxy with TLS before it, and https:// in FACTEUR_BASE_URL.',
  }),
  link_refused: ({ url, why }) => ({ message: `${url} was not asked (${refusals[String(why)] ?? why})` }),
  link_failed: ({ url, why }) => ({ message: `${url} does not answer (${why})` }),
  link_answers: ({ url, status }) => ({ message: `${url} answers ${status}` }),
  link_redirects_forever: ({ url }) => ({ message: `${url} leads from one address to the next` }),
  no_links: () => ({ message: 'there is none to ask' }),
  links_personal: ({ links }) => ({ message: `${links} with merge tags: different for each reader, not asked` }),
  no_alt: ({ src }) => ({
    message: `${src} has no alt text: who cannot see it learns nothing.`,
    next: 'Give it "alt"; an empty one says that it is decoration.',
  }),
  no_images: () => ({ message: 'there is none' }),
  unknown_field: ({ field }) => ({
    message: `{{fields.${field}}} stands there without a default, and no subscriber has such a field.`,
    next: `Write {{fields.${field} | default: "…"}}, or mend the name.`,
  }),
  too_large: ({ bytes, most }) => ({
    message: `${number(bytes)} octets of HTML: Gmail cuts after ${number(most)} and hides the rest, the link to unsubscribe too.`,
    next: 'Shorten it.',
  }),
  reputation_blocked: (_, { slug }) => ({
    message: 'Sending is suspended: too many bounces or complaints.',
    next: `facteur reputation show --workspace ${slug}`,
  }),
  quota_exceeded: ({ needed, remaining }) => ({
    message: `${number(needed)} are needed and ${number(remaining)} are left this month.`,
    next: 'Wait for the next month, or set another plan: facteur plan set.',
  }),
  no_limit: ({ needed }) => ({ message: `${number(needed)} needed, no limit` }),
  no_recipients: () => ({ message: 'It would reach nobody: its send is refused.' }),
  held_back: ({ reason, count }) => ({ message: `${number(count)} held back: ${reason}` }),
  held_back_many: ({ reason, count }) => ({ message: `more than ${number(count)} held back: ${reason}` }),
}

const refusals: Record<string, string> = {
  scheme: 'neither http nor https',
  credentials: 'it holds a password',
  address: 'its address is not a public one',
  port: 'only ports 80 and 443 are asked',
}

function good({ check, details }: Finding): string {
  switch (check) {
    case 'content':
      return 'finished'
    case 'sender':
      return String(details['from'])
    case 'domain':
      return `${details['domain']} is verified`
    case 'authentication':
      return 'looked at'
    case 'dkim':
      return `mail is signed by keys of ${details['domain']}, which DNS shows`
    case 'spf':
      return `${details['domain']} lets mail from here through`
    case 'dmarc':
      return `what is signed or authorised speaks for the sender; policy ${details['policy']} for mail that is not`
    case 'postal_address':
      return String(details['address'])
    case 'base_url':
      return `${details['url']} can be reached`
    case 'links':
      return `${details['asked']} asked, all answer`
    case 'images':
      return `${details['images']}, each with an alt text`
    case 'fields':
      return 'nothing is left empty by a name that nobody has'
    case 'size':
      return `${number(details['bytes'])} octets of HTML, of ${number(details['most'])} that Gmail shows`
    case 'reputation':
      return 'sending is active'
    case 'quota':
      return `${number(details['needed'])} needed, ${number(details['remaining'])} left`
    case 'audience':
      return `${number(details['reachable'])} reachable`
    default:
      return check satisfies never
  }
}
