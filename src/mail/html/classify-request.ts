/**
 * Classifies a request for a pixel or a link: a contact, a privacy relay for a contact, or a
 * scanner, and which device (semantics 5). It reads the User-Agent and the headers of prefetching;
 * it looks up nothing about a contact's network.
 */

export type RequestClass = 'person' | 'relay' | 'scanner'

/** The device and program for statistics; `Unknown` where the request does not show them. */
export interface MailClient {
  visitor: RequestClass
  device: 'Desktop' | 'Mobile' | 'Tablet' | 'Unknown'
  os: string
  client: string
}

/** The parts of a request that show who made it. Names of headers in lower case. */
export interface TrackedRequest {
  kind: 'open' | 'click'
  method: string
  headers: Record<string, string | string[] | undefined>
}

export function classifyRequest({ kind, method, headers }: TrackedRequest): MailClient {
  const userAgent = [headers['user-agent'] ?? ''].flat().join(' ').trim()
  const agent = readUserAgent(userAgent)
  // Relays fetch images only, so a click under such a name comes from a scanner.
  const mayBePrefetch =
    method === 'HEAD' || isPrefetch(headers) || (kind === 'click' && agent.visitor === 'relay')
  return mayBePrefetch ? { ...agent, visitor: 'scanner' } : agent
}

/** `Sec-Purpose: prefetch;prerender` (Fetch 3.7), and what browsers sent before it. */
const isPrefetch = (headers: TrackedRequest['headers']): boolean =>
  ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].some((name) =>
    /prefetch|preview|prerender/i.test([headers[name]].flat().join()),
  )

/**
 * How much of a User-Agent is read and stored, in UTF-16 units: the rest costs time and says
 * nothing.
 */
export const userAgentMax = 512

/** The first entry of each table that fits decides. */
export function readUserAgent(whole: string): MailClient {
  const userAgent = whole.slice(0, userAgentMax)
  const relay = relays.find(([pattern]) => pattern.test(userAgent))
  if (relay) return { visitor: 'relay', device: 'Unknown', os: 'Unknown', client: relay[1] }
  const visitor = userAgent === '' || scanners.test(userAgent) ? 'scanner' : 'person'
  const client = clients.find(([pattern]) => pattern.test(userAgent))?.[1] ?? 'Unknown'
  return {
    visitor,
    device: readDevice(userAgent),
    os: systems.find(([pattern]) => pattern.test(userAgent))?.[1] ?? 'Unknown',
    client,
  }
}

/**
 * Providers that fetch a mail's images for their users, and hide them (Apple's privacy protection
 * says no more than this).
 */
const relays: readonly [RegExp, string][] = [
  [/^Mozilla\/5\.0$/, 'Apple Mail'],
  [/GoogleImageProxy|ggpht\.com/, 'Gmail'],
  [/YahooMailProxy/, 'Yahoo Mail'],
  [/DuckDuckGo.*(?:Email|Mail)/i, 'DuckDuckGo'],
  [/ProtonMailProxy|Proton.*Image ?Proxy/i, 'Proton Mail'],
  [/FastMail.*Proxy/i, 'Fastmail'],
  [/YandexImageResizer|Yandex.*ImageProxy/i, 'Yandex Mail'],
  [/Mail\.RU.*Proxy/i, 'Mail.ru'],
]

/**
 * Programs that read a mail or its links before, or instead of, a contact: mail filters, previews
 * in chats, crawlers, bare HTTP clients. Gmail's own prefetch ends with a second `Mozilla/5.0`.
 */
const scanners = new RegExp(
  [
    // Filters of mail and their link checks.
    'Barracuda|Mimecast|Proofpoint|MessageLabs|Symantec|TrendMicro|Trend Micro|Sophos|FireEye|Trellix|Forcepoint|Zscaler|Cloudmark|Cisco-?IronPort',
    'Avanan|Check ?Point|Vade ?Secure|VadeSecure|Hornetsecurity|Retarus|SpamTitan|MailMarshal|GreatHorn|Fortinet|FortiMail|Bitdefender|Kaspersky|ESET|Avast|McAfee|Webroot|Netcraft',
    'SafeLinks|Microsoft Office (?:Existence|Protocol) Discovery|Microsoft-WebDAV-MiniRedir|MicrosoftPreview|BingPreview|urlscan|VirusTotal|PhishTank|Google-Safety|Edge/12\\.246 Mozilla/5\\.0$',
    // Previews in chats and social networks.
    'facebookexternalhit|Facebot|Twitterbot|LinkedInBot|Slackbot|Slack-ImgProxy|Discordbot|TelegramBot|WhatsApp/|SkypeUriPreview|Iframely|Embedly|redditbot|Pinterestbot|Viber|Snapchat.*Preview',
    // Crawlers, and programs that name themselves so.
    '(?:bot|crawler|spider|scanner|monitor|checker)(?:[/;) ]|$)|Googlebot|GoogleOther|Google-InspectionTool|bingbot|YandexBot|Applebot|AhrefsBot|SemrushBot|PetalBot|Bytespider|DuckDuckBot|Baiduspider',
    'HeadlessChrome|PhantomJS|Puppeteer|Playwright|Selenium|Lighthouse',
    // Bare HTTP clients.
    '^(?:curl|Wget|libwww-perl|lwp-|python-|Python/|aiohttp|httpx|Go-http-client|Java/|Apache-HttpClient|axios|node-fetch|Ruby|PHP|GuzzleHttp|PostmanRuntime|insomnia|HTTPie|WinHttp|Scrapy)',
  ].join('|'),
  'i',
)

/**
 * Programs that show mail first, then browsers, in which webmail is read: each more special one
 * before what it also claims to be.
 */
const clients: readonly [RegExp, string][] = [
  [
    /Outlook-iOS|Outlook-Android|MacOutlook|Microsoft Outlook|ms-office|MSOffice|OneOutlook|Outlook\/\d/i,
    'Outlook',
  ],
  [/WindowsMail|Windows Live Mail|Outlook-Express/i, 'Windows Mail'],
  [/Thunderbird|Icedove|Betterbird/i, 'Thunderbird'],
  [/YahooMobileMail|YMail|YahooMail\b/i, 'Yahoo Mail'],
  [/SamsungEmail|Samsung Email/i, 'Samsung Email'],
  [/\bGmail|GSA\/.*Mail/i, 'Gmail'],
  [/AirMail/i, 'Airmail'],
  [/\bSpark(?:Desktop)?\/|Readdle/i, 'Spark'],
  [/K-9|\bk9mail/i, 'K-9 Mail'],
  [/eM ?Client/i, 'eM Client'],
  [/Lotus-Notes|HCL Notes/i, 'Notes'],
  [/Evolution\//i, 'Evolution'],
  [/KMail|Kontact/i, 'KMail'],
  [/Postbox/i, 'Postbox'],
  [/The Bat!/i, 'The Bat!'],
  [/Mailspring/i, 'Mailspring'],
  [/ProtonMail/i, 'Proton Mail'],
  [/Zimbra/i, 'Zimbra'],
  [/ZohoMail/i, 'Zoho Mail'],
  [/BlueMail/i, 'BlueMail'],
  [/AquaMail/i, 'Aqua Mail'],
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera|OPiOS/, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Vivaldi\//, 'Vivaldi'],
  [/YaBrowser\//, 'Yandex Browser'],
  [/DuckDuckGo\//, 'DuckDuckGo'],
  [/Brave\//, 'Brave'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/GSA\//, 'Google app'],
  [/FBAN|FBAV/, 'Facebook app'],
  [/Instagram/, 'Instagram app'],
  [/LinkedInApp/, 'LinkedIn app'],
  [/; wv\)/, 'Android app'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/MSIE |Trident\//, 'Internet Explorer'],
  [/Version\/[\d.]+.*Safari\//, 'Safari'],
  // Apple's mail is its web view, without a word of its own.
  [/(?:Macintosh|iPhone|iPad|iPod).*AppleWebKit\/(?!.*Safari\/)/, 'Apple Mail'],
  [/Android.*Version\/[\d.]+.*Safari/, 'Android browser'],
]

const systems: readonly [RegExp, string][] = [
  [/iPhone|iPad|iPod|Outlook-iOS|\biOS\b|iphone/, 'iOS'],
  [/Windows Phone/, 'Windows Phone'],
  [/Android/, 'Android'],
  [/Windows|Win64|WinNT|OneOutlook/, 'Windows'],
  [/Macintosh|Mac OS X|MacOutlook|Mac OS/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux|X11|Ubuntu|Fedora/, 'Linux'],
]

function readDevice(userAgent: string): MailClient['device'] {
  if (/iPad|Tablet|Kindle|Silk\/|SM-T\d|Nexus (?:7|9|10)\b|Outlook-iOS.*ipad/i.test(userAgent))
    return 'Tablet'
  if (
    /iPhone|iPod|Windows Phone|Outlook-iOS|Outlook-Android|YahooMobileMail|Mobile\b/i.test(
      userAgent,
    )
  )
    return 'Mobile'
  // Chrome and Android's own: a tablet leaves the word Mobile out.
  if (/Android/.test(userAgent)) return /AppleWebKit|Gecko/.test(userAgent) ? 'Tablet' : 'Mobile'
  return /Windows|Macintosh|Mac OS X|MacOutlook|CrOS|X11|Linux/.test(userAgent)
    ? 'Desktop'
    : 'Unknown'
}
