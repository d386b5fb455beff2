/**
 * Renders the reference's Markdown as HTML: headings, paragraphs, lists, tables, code, collapsed
 * parts; within a line code, strong words and links.
 */
import { anchor } from '../../../contract/reference/markdown.ts'
import { html, type Html } from '../../../ground/html.ts'

/** A heading with all that follows it up to the next one. */
export interface Section {
  /** 0: the text before the first heading. */
  level: number
  title: string
  id: string
  content: Html[]
}

export function renderMarkdown(text: string): Section[] {
  const lines = text.split('\n')
  const sections: Section[] = [{ level: 0, title: '', id: '', content: [] }]
  while (lines.length > 0) {
    const heading = /^(#{1,4}) (.+)$/.exec(lines[0] ?? '')
    const section = sections.at(-1)
    if (heading) {
      lines.shift()
      const [, { length: level } = '', title = ''] = heading
      sections.push({ level, title, id: anchor(title), content: [] })
    } else section?.content.push(...takeBlock(lines))
  }
  return sections.filter(({ level, content }) => level > 0 || content.length > 0)
}

/** Renders the first block of the lines, and removes it from them. */
function takeBlock(lines: string[]): Html[] {
  const [line = ''] = lines
  if (line.trim() === '') return lines.shift() === undefined ? [] : []
  if (line.startsWith('```')) return [takeCode(lines)]
  if (line.startsWith('<details')) return [takeFolded(lines)]
  if (line.startsWith('|')) return [takeTable(takeWhile(lines, (next) => next.startsWith('|')))]
  if (isItem(line))
    return [takeList(takeWhile(lines, (next) => isItem(next) || /^ +\S/.test(next)))]
  const words = takeWhile(
    lines,
    (next) => next.trim() !== '' && !/^(#{1,4} |```|<\/?details|\|)/.test(next) && !isItem(next),
  )
  if (words.length > 0) return [html`<p>${inline(words.join(' '))}</p>`]
  throw new Error(`The reference has a line that no form fits: ${line}`)
}

const isItem = (line: string): boolean => /^([*-]|\d+\.) /.test(line)

function takeWhile(lines: string[], fits: (line: string) => boolean): string[] {
  const end = lines.findIndex((line) => !fits(line))
  return lines.splice(0, end < 0 ? lines.length : end)
}

function takeCode(lines: string[]): Html {
  const language = lines.shift()?.slice(3) ?? ''
  const text = takeWhile(lines, (line) => line !== '```').join('\n')
  lines.shift()
  return html`<pre data-language="${language}" tabindex="0"><code>${text}</code></pre>`
}

function takeFolded(lines: string[]): Html {
  const [, open, title = ''] =
    /^<details( open)?><summary>(.*)<\/summary>$/.exec(lines.shift() ?? '') ?? []
  const content: Html[] = []
  while (lines.length > 0 && lines[0] !== '</details>') content.push(...takeBlock(lines))
  lines.shift()
  return html`<details${open !== undefined && html` open`}>
        <summary>${inline(title.replaceAll(/<\/?code>/g, '`'))}</summary>
        ${content}
      </details>`
}

function takeTable([head = '', , ...rows]: string[]): Html {
  const columnsOf = (line: string): string[] =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((column) => column.trim().replaceAll(String.raw`\|`, '|'))
  return html`<div class="table" tabindex="0">
    <table>
      <thead>
        <tr>
          ${columnsOf(head).map((column) => html`<th scope="col">${inline(column)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${columnsOf(row).map((column) => html`<td>${inline(column)}</td>`)}
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`
}

function takeList(lines: string[]): Html {
  const items: string[] = []
  for (const line of lines) {
    if (isItem(line)) items.push(line.replace(/^([*-]|\d+\.) /, ''))
    else items.push(`${items.pop() ?? ''} ${line.trim()}`)
  }
  const shown = items.map((item) => html`<li>${inline(item)}</li>`)
  return /^\d/.test(lines[0] ?? '')
    ? html`<ol>
        ${shown}
      </ol>`
    : html`<ul>
        ${shown}
      </ul>`
}

/** Code first, because markup inside code is plain text. */
function inline(text: string): (string | Html)[] {
  const result =
    /`([^`]+)`|\*\*([^*]+)\*\*|\[((?:`[^`]*`|[^\]])+)\]\(([^)\s]+)\)|<(https?:[^>\s]+)>/.exec(text)
  if (!result) return [text]
  const [whole, code, strong, label, target, address] = result
  const shown =
    code !== undefined
      ? html`<code>${code}</code>`
      : strong !== undefined
        ? html`<strong>${inline(strong)}</strong>`
        : label !== undefined && target !== undefined
          ? html`<a href="${target}">${inline(label)}</a>`
          : html`<a href="${address ?? ''}">${address ?? ''}</a>`
  return [text.slice(0, result.index), shown, ...inline(text.slice(result.index + whole.length))]
}
