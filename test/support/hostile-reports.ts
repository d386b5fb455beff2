/**
 * Files and mails that somebody could send to the address for DMARC reports to break or slow the
 * reader.
 */
import { deflateRawSync, gzipSync } from 'node:zlib'
import { pack, receiverMail, reportMail, shapeOf, zipOf } from './report-mails.ts'

const { shape } = shapeOf(8)
const good = (): string => Buffer.from(pack(xmlOf(), 'plain')).toString()
function xmlOf(): string {
  const {
    records: [record],
  } = shape
  return `<feedback><report_metadata><report_id>x</report_id><date_range><begin>${shape.begins}</begin></date_range></report_metadata><policy_published><domain>shop.test</domain></policy_published><record><row><source_ip>${record?.source}</source_ip><count>1</count></row></record></feedback>`
}

const gzipFile = (file: Buffer | string): Buffer =>
  reportMail({ from: 'a@evil.test', type: 'application/gzip', file: gzipSync(file, { level: 9 }) })
const rawFile = (file: Buffer | string, type = 'application/gzip'): Buffer =>
  reportMail({ from: 'a@evil.test', type, file: Buffer.from(file) })
const zipFile = (...entries: Parameters<typeof zipOf>[0]): Buffer =>
  reportMail({ from: 'a@evil.test', type: 'application/zip', file: zipOf(entries) })
const within = (inner: string): string => good().replace('<record>', `${inner}<record>`)
const bigZeros = (bytes: number): Buffer => Buffer.alloc(bytes)
const utf16 = (text: string, isBig = false): Buffer => {
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le')
  return isBig ? bytes.swap16() : bytes
}
const entry = { name: 'report.xml', content: Buffer.from(good()) }
const laughs = `<!DOCTYPE feedback [<!ENTITY a "ha">${Array.from({ length: 20 }, (_, n) => `<!ENTITY ${String.fromCharCode(98 + n)} "${`&${String.fromCharCode(97 + n)};`.repeat(10)}">`).join('')}]>`
const gzipOfGood = (): Buffer => gzipSync(good())
const attached = (): string =>
  `Content-Type: application/gzip\r\nContent-Transfer-Encoding: base64\r\n\r\n${gzipOfGood().toString('base64')}`
const multipart = (boundary: string, parts: string[]): string =>
  `Content-Type: multipart/mixed; boundary=${boundary}\r\n\r\n${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')}--${boundary}--\r\n`
const mailOf = (content: string): Buffer => Buffer.from(`From: a@evil.test\r\n${content}`)
const changed = (bytes: Buffer, at: number, by = 1): Buffer => {
  const copy = Buffer.from(bytes)
  const index = at < 0 ? copy.length + at : at
  copy[index] = ((copy[index] ?? 0) + by) % 256
  return copy
}

/** Each is refused. They are made when they are asked for. */
export const hostileReports: Record<string, () => Buffer> = {
  'a gzip bomb of zeros': () => gzipFile(bigZeros(200_000_000)),
  'a gzip bomb of tags': () => gzipFile(within('<a></a>'.repeat(5_000_000))),
  'a gzip bomb of white space': () => gzipFile(`${' '.repeat(100_000_000)}${good()}`),
  'a bomb of several gzip members': () =>
    rawFile(Buffer.concat(Array.from({ length: 50 }, () => gzipSync(bigZeros(10_000_000))))),
  'gzip within gzip': () => gzipFile(gzipOfGood()),
  'gzip within gzip within gzip': () => gzipFile(gzipSync(gzipOfGood())),
  'zip within gzip': () => gzipFile(zipOf([entry])),
  'gzip within zip': () => zipFile({ name: 'report.xml.gz', content: gzipOfGood() }),
  'zip within zip': () => zipFile({ name: 'report.zip', content: zipOf([entry]) }),
  'a zip bomb that says its size': () =>
    zipFile({ name: 'report.xml', content: bigZeros(100_000_000) }),
  'a zip bomb that says a smaller size': () =>
    zipFile({ name: 'report.xml', content: bigZeros(100_000_000), says: { size: 1_000 } }),
  'a zip that says a larger size': () => zipFile({ ...entry, says: { size: 3_000_000_000 } }),
  'a zip of a thousand files': () =>
    zipFile(...Array.from({ length: 1_000 }, (_, n) => ({ ...entry, name: `${n}.xml` }))),
  'a zip of two files': () => zipFile(entry, { ...entry, name: 'other.xml' }),
  'a zip of five folders and a file': () =>
    zipFile(
      ...Array.from({ length: 5 }, (_, n) => ({ name: `${n}/`, content: Buffer.alloc(0) })),
      entry,
    ),
  'a zip of no file': () => zipFile(),
  'a zip of a folder alone': () => zipFile({ name: 'folder/', content: Buffer.alloc(0) }),
  'a zip with a wrong sum': () => zipFile({ ...entry, says: { crc: 1 } }),
  'an encrypted zip': () => zipFile({ ...entry, says: { flags: 1 } }),
  'a zip of an unknown method': () => zipFile({ ...entry, says: { method: 99 } }),
  'a zip with a path out of its folder': () => zipFile({ ...entry, name: '../../etc/passwd' }),
  'a zip with an absolute path': () => zipFile({ ...entry, name: '/etc/passwd' }),
  'a zip without its directory': () => rawFile(zipOf([entry]).subarray(0, -40), 'application/zip'),
  'a zip that is cut in its middle': () =>
    rawFile(zipOf([entry]).subarray(0, 60), 'application/zip'),
  'a zip with a directory that points outside': () =>
    rawFile(changed(zipOf([entry]), -6, 200), 'application/zip'),
  'a zip with a broken stream': () => rawFile(changed(zipOf([entry]), 60, 77), 'application/zip'),
  'a gzip that is cut': () => rawFile(gzipOfGood().subarray(0, -20)),
  'a gzip of its header alone': () => rawFile(gzipOfGood().subarray(0, 10)),
  'a gzip with a wrong sum': () => rawFile(changed(gzipOfGood(), -6)),
  'a gzip with a wrong length': () => rawFile(changed(gzipOfGood(), -2)),
  'a gzip of a broken stream': () => rawFile(changed(gzipOfGood(), 30, 99)),
  'a billion laughs': () => gzipFile(`${laughs}${good().replace('>x<', '>&t;<')}`),
  'an external entity': () =>
    gzipFile(
      `<!DOCTYPE feedback [<!ENTITY x SYSTEM "file:///etc/passwd">]>${good().replace('>x<', '>&x;<')}`,
    ),
  'an external document type': () =>
    gzipFile(`<!DOCTYPE feedback SYSTEM "http://127.0.0.1:1/x.dtd">${good()}`),
  'a parameter entity': () =>
    gzipFile(`<!DOCTYPE feedback [<!ENTITY % x SYSTEM "http://127.0.0.1:1/x"> %x;]>${good()}`),
  'a document type of ten megabytes': () =>
    rawFile(gzipSync(`<!DOCTYPE feedback [${'<!ENTITY a "b">'.repeat(100_000)}]>${good()}`)),
  'an entity that nobody declared': () => gzipFile(good().replace('>x<', '>&boom;<')),
  'a hundred thousand levels': () => gzipFile(within('<a>'.repeat(100_000))),
  'eleven levels within a record': () =>
    gzipFile(good().replace('<row>', `<row>${'<a>'.repeat(11)}${'</a>'.repeat(11)}`)),
  'an attribute of a megabyte': () =>
    gzipFile(good().replace('<record>', `<record a="${randomText(1_000_000)}">`)),
  'a hundred thousand attributes': () =>
    gzipFile(
      good().replace(
        '<record>',
        `<record ${Array.from({ length: 100_000 }, (_, n) => `a${n}="${n}"`).join(' ')}>`,
      ),
    ),
  'thirty attributes': () =>
    gzipFile(
      good().replace(
        '<record>',
        `<record ${Array.from({ length: 30 }, (_, n) => `a${n}=""`).join(' ')}>`,
      ),
    ),
  'a text of five thousand characters': () =>
    gzipFile(good().replace('>x<', `>${'x'.repeat(5_000)}<`)),
  'a name of a megabyte': () => gzipFile(within(`<${randomText(1_000_000)}/>`)),
  'a text of a megabyte': () => gzipFile(good().replace('>x<', `>${randomText(1_000_000)}<`)),
  'a comment of a megabyte': () => gzipFile(within(`<!-- ${randomText(1_000_000)} -->`)),
  'a CDATA section of a megabyte': () =>
    gzipFile(good().replace('>x<', `><![CDATA[${randomText(1_000_000)}]]><`)),
  'a processing instruction of a megabyte': () =>
    gzipFile(within(`<?x ${randomText(1_000_000)} ?>`)),
  'thousands of signatures in a record': () =>
    gzipFile(
      good().replace(
        '</record>',
        `<auth_results>${'<dkim><domain>a.test</domain></dkim>'.repeat(20_000)}</auth_results></record>`,
      ),
    ),
  'a record of eleven signatures': () =>
    gzipFile(
      good().replace(
        '</record>',
        `<auth_results>${'<dkim><domain>a.test</domain></dkim>'.repeat(11)}</auth_results></record>`,
      ),
    ),
  'a hundred thousand fields before the records': () =>
    gzipFile(within(Array.from({ length: 20_000 }, (_, n) => `<f${n}>${n}</f${n}>`).join(''))),
  'a hundred thousand elements of one name': () =>
    gzipFile(
      within(
        Array.from(
          { length: 150_000 },
          (_, n) => `<a b="${((n * 2_654_435_761) % 4_294_967_291).toString(36)}"/>`,
        ).join(''),
      ),
    ),
  'UTF-16, little-endian': () => gzipFile(utf16(good())),
  'UTF-16, big-endian': () => gzipFile(utf16(good(), true)),
  'U+0000 within a name': () => gzipFile(good().replace('shop.test', 'shop\0.test')),
  'elements that end in another order': () =>
    gzipFile(good().replace('</count></row>', '</row></count>')),
  'another root': () => gzipFile(good().replaceAll('feedback', 'html')),
  'two roots': () => gzipFile(good() + good()),
  'no XML at all': () => gzipFile('hello'),
  HTML: () => gzipFile('<!DOCTYPE html><html><body>hello</body></html>'),
  'a time that is none': () => gzipFile(good().replace(String(shape.begins), 'soon')),
  'a domain that is none': () =>
    gzipFile(
      good().replace(
        '<domain>shop.test</domain>',
        '<domain>&lt;script&gt;alert(1)&lt;/script&gt;</domain>',
      ),
    ),
  'no identifier': () => gzipFile(good().replace('<report_id>x</report_id>', '')),
  'a mail of a thousand parts': () =>
    Buffer.from(
      `From: a@b.test\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n${'--x\r\n\r\n\r\n'.repeat(1_000)}--x--\r\n`,
    ),
  'a mail nested a thousand times': () =>
    Buffer.from(
      `From: a@b.test\r\n${Array.from({ length: 1_000 }, (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`).join('')}`,
    ),
  'a report five levels deep': () =>
    mailOf([1, 2, 3, 4, 5].reduce((inner, n) => multipart(`b${n}`, [inner]), attached())),
  'a report beside sixty parts in two halves': () => {
    const half = (name: string): string =>
      multipart(
        name,
        Array.from({ length: 30 }, () => 'Content-Type: text/plain\r\n\r\n'),
      )
    return mailOf(multipart('whole', [half('one'), half('two'), attached()]))
  },
  'a report behind a header of 300 KB': () => mailOf(`X: ${randomText(300_000)}\r\n${attached()}`),
  'a report among three thousand lines like a boundary': () =>
    mailOf(
      multipart('x', [`Content-Type: text/plain\r\n\r\n${'--xy\r\n'.repeat(3_000)}`, attached()]),
    ),
  'a mail with a header of a megabyte': () =>
    Buffer.from(`From: a@b.test\r\nX: ${randomText(1_000_000)}\r\n\r\n`),
  'a mail with a hundred thousand headers': () => Buffer.from(`${'X: y\r\n'.repeat(100_000)}\r\n`),
  'a mail without a report': () => Buffer.from('From: a@b.test\r\nSubject: hello\r\n\r\nhello\r\n'),
  'a mail of four megabytes of boundaries that are none': () =>
    Buffer.from(
      `From: a@b.test\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n${'--xy\r\n'.repeat(700_000)}`,
    ),
  'a mail whose base64 is none': () =>
    Buffer.from(
      receiverMail('yahoo', shape)
        .toString()
        .replaceAll(/^[A-Za-z0-9+/]{60,}$/gm, '=!='),
    ),
  'raw deflate': () => rawFile(deflateRawSync(good())),
}

/** Text that shrinks little, so that the ratio does not refuse it. */
function randomText(length: number): string {
  let seed = 42
  let text = ''
  while (text.length < length) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    text += seed.toString(36)
  }
  return `a${text.slice(1, length)}`
}
