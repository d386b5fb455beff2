/**
 * Who made a request, by what it says of itself: programs that show mail, browsers, privacy relays,
 * scanners.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { classifyRequest, readUserAgent } from '../../../src/mail/html/classify-request.ts'
import { assertLinear } from '../../support/linear.ts'

type Row = [userAgent: string, device: string, os: string, client: string]

const webKit = 'AppleWebKit/605.1.15 (KHTML, like Gecko)'
const blink = 'AppleWebKit/537.36 (KHTML, like Gecko)'

const persons: Row[] = [
  // Apple's mail is a web view without a word of its own.
  [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webKit}`, 'Desktop', 'macOS', 'Apple Mail'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_6) AppleWebKit/601.7.8 (KHTML, like Gecko)',
    'Desktop',
    'macOS',
    'Apple Mail',
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) ${webKit} Mobile/15E148`,
    'Mobile',
    'iOS',
    'Apple Mail',
  ],
  [
    `Mozilla/5.0 (iPad; CPU OS 17_6 like Mac OS X) ${webKit} Mobile/15E148`,
    'Tablet',
    'iOS',
    'Apple Mail',
  ],
  [
    'Mozilla/5.0 (iPod touch; CPU iPhone OS 12_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/16A366',
    'Mobile',
    'iOS',
    'Apple Mail',
  ],
  // Outlook, in all its shapes.
  [
    'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.12026; Pro)',
    'Desktop',
    'Windows',
    'Outlook',
  ],
  [
    'Microsoft Office/14.0 (Windows NT 6.1; Microsoft Outlook 14.0.7113; Pro)',
    'Desktop',
    'Windows',
    'Outlook',
  ],
  ['Mozilla/4.0 (compatible; ms-office; MSOffice 16)', 'Unknown', 'Unknown', 'Outlook'],
  [
    'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; WOW64; Trident/7.0; .NET4.0C; .NET4.0E; Microsoft Outlook 16.0.4266; ms-office; MSOffice 16)',
    'Desktop',
    'Windows',
    'Outlook',
  ],
  ['MacOutlook/16.89.1.24091630 (Intelx64 Mac OS X Version 14.6.1)', 'Desktop', 'macOS', 'Outlook'],
  ['Outlook-iOS/711.2620504.prod.iphone (3.31.0)', 'Mobile', 'iOS', 'Outlook'],
  ['Outlook-iOS/723.4027091.prod.ipad (4.2449.0)', 'Tablet', 'iOS', 'Outlook'],
  ['Outlook-Android/2.0', 'Mobile', 'Android', 'Outlook'],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${blink} Chrome/128.0.0.0 Safari/537.36 Edg/128.0.0.0 OneOutlook/1.2024.1009.100`,
    'Desktop',
    'Windows',
    'Outlook',
  ],
  [
    'Outlook-Express/7.0 (MSIE 7.0; Windows NT 6.1; WOW64; Trident/7.0)',
    'Desktop',
    'Windows',
    'Windows Mail',
  ],
  ['Microsoft Windows Live Mail 16.4.3528 (Windows NT 6.2)', 'Desktop', 'Windows', 'Windows Mail'],
  // Other programs that show mail.
  [
    'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Thunderbird/128.4.0',
    'Desktop',
    'Linux',
    'Thunderbird',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:115.0) Gecko/20100101 Thunderbird/115.12.2',
    'Desktop',
    'Windows',
    'Thunderbird',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:102.0) Gecko/20100101 Thunderbird/102.15.1',
    'Desktop',
    'macOS',
    'Thunderbird',
  ],
  [
    'Mozilla/5.0 (X11; Linux x86_64; rv:17.0) Gecko/17.0 Icedove/17.0.8',
    'Desktop',
    'Linux',
    'Thunderbird',
  ],
  [
    'YahooMobileMail/1.0 (Android Mail; 5.1.1) (hero2lte;samsung;SM-G935F;7.0)',
    'Mobile',
    'Android',
    'Yahoo Mail',
  ],
  [
    'Mozilla/5.0 (Linux; Android 14; SM-S911B) SamsungEmail/6.1.94.1',
    'Mobile',
    'Android',
    'Samsung Email',
  ],
  [
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webKit} Airmail/5.6`,
    'Desktop',
    'macOS',
    'Airmail',
  ],
  ['Airmail 1.6.6 rv:196 (Macintosh; Mac OS X 10.10)', 'Desktop', 'macOS', 'Airmail'],
  ['Spark/2.11.29 (Macintosh; Mac OS X 12.6)', 'Desktop', 'macOS', 'Spark'],
  ['K-9 Mail for Android', 'Mobile', 'Android', 'K-9 Mail'],
  ['eM Client/9.2.2093.0 (Windows NT 10.0)', 'Desktop', 'Windows', 'eM Client'],
  ['Mozilla/4.0 (compatible; Lotus-Notes/6.0; Windows-NT)', 'Desktop', 'Windows', 'Notes'],
  ['Evolution/3.44.4 (X11; Linux x86_64)', 'Desktop', 'Linux', 'Evolution'],
  ['KMail/5.21.3 (Linux/5.15.0; KDE/5.96.0; x86_64)', 'Desktop', 'Linux', 'KMail'],
  ['Postbox/7.0.59 (Macintosh; Intel Mac OS X 10.15)', 'Desktop', 'macOS', 'Postbox'],
  ['The Bat! 10.5.2.1 (Windows)', 'Desktop', 'Windows', 'The Bat!'],
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Mailspring/1.13.3 Chrome/108.0.5359.62 Electron/22.3.0 Safari/537.36',
    'Desktop',
    'Linux',
    'Mailspring',
  ],
  // Browsers, in which webmail is read.
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${blink} Chrome/141.0.0.0 Safari/537.36`,
    'Desktop',
    'Windows',
    'Chrome',
  ],
  [
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${blink} Chrome/141.0.0.0 Safari/537.36`,
    'Desktop',
    'macOS',
    'Chrome',
  ],
  [
    `Mozilla/5.0 (X11; Linux x86_64) ${blink} Chrome/141.0.0.0 Safari/537.36`,
    'Desktop',
    'Linux',
    'Chrome',
  ],
  [
    `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${blink} Chrome/141.0.0.0 Safari/537.36`,
    'Desktop',
    'ChromeOS',
    'Chrome',
  ],
  [
    `Mozilla/5.0 (Linux; Android 10; K) ${blink} Chrome/141.0.0.0 Mobile Safari/537.36`,
    'Mobile',
    'Android',
    'Chrome',
  ],
  [
    `Mozilla/5.0 (Linux; Android 13; SM-T870) ${blink} Chrome/120.0.0.0 Safari/537.36`,
    'Tablet',
    'Android',
    'Chrome',
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) ${webKit} CriOS/126.0.6478.35 Mobile/15E148 Safari/604.1`,
    'Mobile',
    'iOS',
    'Chrome',
  ],
  [
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webKit} Version/18.1 Safari/605.1.15`,
    'Desktop',
    'macOS',
    'Safari',
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) ${webKit} Version/18.0 Mobile/15E148 Safari/604.1`,
    'Mobile',
    'iOS',
    'Safari',
  ],
  [
    `Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) ${webKit} Version/16.6 Mobile/15E148 Safari/604.1`,
    'Tablet',
    'iOS',
    'Safari',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0',
    'Desktop',
    'Windows',
    'Firefox',
  ],
  [
    'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0',
    'Desktop',
    'Linux',
    'Firefox',
  ],
  [
    'Mozilla/5.0 (Android 14; Mobile; rv:132.0) Gecko/132.0 Firefox/132.0',
    'Mobile',
    'Android',
    'Firefox',
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) ${webKit} FxiOS/132.0 Mobile/15E148 Safari/605.1.15`,
    'Mobile',
    'iOS',
    'Firefox',
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${blink} Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0`,
    'Desktop',
    'Windows',
    'Edge',
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${blink} Chrome/64.0.3282.140 Safari/537.36 Edge/18.17763`,
    'Desktop',
    'Windows',
    'Edge',
  ],
  [
    `Mozilla/5.0 (Linux; Android 10; HD1913) ${blink} Chrome/129.0.0.0 Mobile Safari/537.36 EdgA/129.0.0.0`,
    'Mobile',
    'Android',
    'Edge',
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${blink} Chrome/130.0.0.0 Safari/537.36 OPR/115.0.0.0`,
    'Desktop',
    'Windows',
    'Opera',
  ],
  [
    `Mozilla/5.0 (Linux; Android 14; SAMSUNG SM-S918B) ${blink} SamsungBrowser/26.0 Chrome/122.0.0.0 Mobile Safari/537.36`,
    'Mobile',
    'Android',
    'Samsung Internet',
  ],
  [
    `Mozilla/5.0 (X11; Linux x86_64) ${blink} Chrome/128.0.0.0 Safari/537.36 Vivaldi/6.9`,
    'Desktop',
    'Linux',
    'Vivaldi',
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${blink} Chrome/126.0.0.0 YaBrowser/24.7.0.0 Safari/537.36`,
    'Desktop',
    'Windows',
    'Yandex Browser',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko',
    'Desktop',
    'Windows',
    'Internet Explorer',
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) ${webKit} GSA/310.0.614 Mobile/15E148 Safari/604.1`,
    'Mobile',
    'iOS',
    'Google app',
  ],
  [
    `Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) ${blink} Version/4.0 Chrome/129.0.0.0 Mobile Safari/537.36`,
    'Mobile',
    'Android',
    'Android app',
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) ${webKit} Mobile/21G80 [FBAN/FBIOS;FBAV/480.0.0;FBDV/iPhone14,5]`,
    'Mobile',
    'iOS',
    'Facebook app',
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) ${webKit} Mobile/21F90 Instagram 340.0.0.22`,
    'Mobile',
    'iOS',
    'Instagram app',
  ],
  [
    'Mozilla/5.0 (Windows Phone 10.0; Android 6.0.1; Microsoft; Lumia 950) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/52.0.2743.116 Mobile Safari/537.36 Edge/15.15063',
    'Mobile',
    'Windows Phone',
    'Edge',
  ],
  ['Something nobody has seen', 'Unknown', 'Unknown', 'Unknown'],
]

const relays: [string, string][] = [
  ['Mozilla/5.0', 'Apple Mail'],
  [
    'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
    'Gmail',
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${blink} Chrome/42.0 Safari/537.36 (via ggpht.com GoogleImageProxy)`,
    'Gmail',
  ],
  ['YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html', 'Yahoo Mail'],
  ['Mozilla/5.0 (compatible; YandexImageResizer/2.0; +http://yandex.com/bots)', 'Yandex Mail'],
]

const scanners = [
  '',
  `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${blink} Chrome/42.0.2311.135 Safari/537.36 Edge/12.246 Mozilla/5.0`,
  'BarracudaCentral/1.0',
  'Mozilla/5.0 (compatible; Barracuda Sentinel (EE))',
  'Mimecast-URL-Protect/2.0',
  'Mozilla/5.0 (compatible; Proofpoint URL Defense)',
  'Microsoft Office Existence Discovery',
  'Microsoft Office Protocol Discovery',
  `Mozilla/5.0 (Windows NT 6.1; WOW64) ${blink} Chrome/103.0 Safari/537.36 BingPreview/1.0b`,
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
  'TelegramBot (like TwitterBot)',
  'WhatsApp/2.23.20.0',
  'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
  'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  `Mozilla/5.0 ${blink} (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0 Safari/537.36`,
  `Mozilla/5.0 (X11; Linux x86_64) ${blink} HeadlessChrome/120.0.0.0 Safari/537.36`,
  'curl/8.5.0',
  'Wget/1.21.4',
  'python-requests/2.32.3',
  'Python-urllib/3.12',
  'Go-http-client/2.0',
  'Java/17.0.9',
  'Apache-HttpClient/4.5.13 (Java/11.0.20)',
  'axios/1.7.2',
]

test(`${persons.length} programs of humans: device, system and client of each`, () => {
  for (const [userAgent, device, os, client] of persons) {
    assert.deepEqual(readUserAgent(userAgent), { visitor: 'person', device, os, client }, userAgent)
  }
})

test('privacy relays: the client is known, the device is hidden', () => {
  for (const [userAgent, client] of relays) {
    assert.deepEqual(
      readUserAgent(userAgent),
      { visitor: 'relay', device: 'Unknown', os: 'Unknown', client },
      userAgent,
    )
  }
})

test('scanners of mail, previews in chats, crawlers and bare HTTP clients', () => {
  for (const userAgent of scanners)
    assert.equal(readUserAgent(userAgent).visitor, 'scanner', userAgent)
})

const chrome = persons.find(([, , , client]) => client === 'Chrome')?.[0] ?? ''
const visitorOf = (kind: 'open' | 'click', headers: Record<string, string>, method = 'GET') =>
  classifyRequest({ kind, method, headers: { 'user-agent': chrome, ...headers } }).visitor

test('a client that looks ahead is a scanner: HEAD, and the headers of prefetching', () => {
  assert.equal(visitorOf('open', {}), 'person')
  assert.equal(visitorOf('click', {}), 'person')
  assert.equal(visitorOf('open', {}, 'HEAD'), 'scanner')
  assert.equal(visitorOf('click', { 'sec-purpose': 'prefetch' }), 'scanner')
  assert.equal(visitorOf('click', { 'sec-purpose': 'prefetch;prerender' }), 'scanner')
  assert.equal(visitorOf('open', { purpose: 'prefetch' }), 'scanner')
  assert.equal(visitorOf('click', { 'x-purpose': 'preview' }), 'scanner')
  assert.equal(visitorOf('click', { 'x-moz': 'prefetch' }), 'scanner')
})

test('a relay opens on behalf of a recipient, and never clicks for one', () => {
  const gmail = { 'user-agent': relays[1]?.[0] ?? '' }
  assert.equal(visitorOf('open', gmail), 'relay')
  assert.equal(visitorOf('click', gmail), 'scanner')
})

test('any text is read, and quickly', () => {
  for (const piece of ['\u0000', 'ÿ', '(', 'Mozilla/5.0 ', 'Android Version/1 '])
    assertLinear(piece, 2_000, (length) =>
      assert.ok(readUserAgent(piece.repeat(length)).client.length > 0),
    )
})
