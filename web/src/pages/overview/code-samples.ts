/** Writes a program that sends one mail, as a reader pastes and runs it. No package is needed. */
import type { Overview } from './overview.ts'

/** In the order of the tabs; names of languages are the same in every language. */
export const sampleNames = [
  ['curl', 'curl'],
  ['node', 'Node'],
  ['python', 'Python'],
  ['go', 'Go'],
  ['php', 'PHP'],
  ['smtp', 'SMTP'],
] as const
export type SampleName = (typeof sampleNames)[number][0]

export interface Sample {
  /** `https://mail.example.com`. */
  baseUrl: string
  key: string
  /** Addresses without names. */
  mail: { from: string; to: string }
  smtp: Overview['smtp']
}

/** Null for SMTP where the service takes no mail by it. */
export function writeSample(name: SampleName, sample: Sample): string | null {
  switch (name) {
    case 'curl':
      return inCurl(sample)
    case 'node':
      return inNode(sample)
    case 'python':
      return inPython(sample)
    case 'go':
      return inGo(sample)
    case 'php':
      return inPhp(sample)
    case 'smtp':
      return bySmtp(sample)
  }
}

const subject = 'Hello'
const text = 'It works.'
const addressOf = ({ baseUrl }: Sample): string => `${baseUrl}/api/v1/emails`
const bodyOf = ({ mail }: Sample) => ({ ...mail, subject, text })

/** A text for a shell, which nothing in it ends. */
const quoted = (words: string): string => `'${words.replaceAll("'", String.raw`'\''`)}'`

const inCurl = (sample: Sample): string =>
  [
    `curl ${addressOf(sample)}`,
    `-H 'Authorization: Bearer ${sample.key}'`,
    "-H 'Content-Type: application/json'",
    `-d ${quoted(JSON.stringify(bodyOf(sample), null, 2))}`,
  ].join(' \\\n  ')

const inNode = (sample: Sample): string => `// send.mjs
const answer = await fetch('${addressOf(sample)}', {
  method: 'POST',
  headers: {
    Authorization: 'Bearer ${sample.key}',
    'Content-Type': 'application/json',
  },
  body: JSON.stringify(${JSON.stringify(bodyOf(sample), null, 2).replaceAll('\n', '\n  ')}),
})
console.log(answer.status, await answer.json())`

/** A JSON object of texts is a dictionary of Python too. */
const inPython = (sample: Sample): string => `import json
import urllib.request

mail = ${JSON.stringify(bodyOf(sample), null, 4)}
request = urllib.request.Request(
    "${addressOf(sample)}",
    data=json.dumps(mail).encode(),
    headers={
        "Authorization": "Bearer ${sample.key}",
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request) as answer:
    print(answer.status, answer.read().decode())`

/** A JSON text is a string literal of Go too. */
const inGo = (sample: Sample): string => `package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

func main() {
	mail := ${JSON.stringify(JSON.stringify(bodyOf(sample)))}
	request, err := http.NewRequest("POST", "${addressOf(sample)}", strings.NewReader(mail))
	if err != nil {
		panic(err)
	}
	request.Header.Set("Authorization", "Bearer ${sample.key}")
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		panic(err)
	}
	fmt.Println(answer.Status, string(body))
}`

function inPhp(sample: Sample): string {
  const literal = (words: string): string => `'${words.replaceAll(/['\\]/g, String.raw`\$&`)}'`
  const fields = Object.entries(bodyOf(sample)).map(
    ([name, value]) => `    '${name}' => ${literal(value)},`,
  )
  return `<?php
$mail = [
${fields.join('\n')}
];
$answer = file_get_contents('${addressOf(sample)}', false, stream_context_create(['http' => [
    'method' => 'POST',
    'header' => ['Authorization: Bearer ${sample.key}', 'Content-Type: application/json'],
    'content' => json_encode($mail),
    'ignore_errors' => true,
]]));
echo $answer, PHP_EOL;`
}

const tlsOptions = { none: '', starttls: ' --ssl-reqd', implicit: '' }

/** The first line is for the settings of a program that has a form for them. */
function bySmtp({ mail: { from, to }, key, smtp }: Sample): string | null {
  if (smtp === null) return null
  const scheme = smtp.tls === 'implicit' ? 'smtps' : 'smtp'
  const tls = { none: 'no TLS', starttls: 'STARTTLS', implicit: 'TLS' }[smtp.tls]
  return `# Server ${smtp.host}, port ${smtp.port}, ${tls}; user facteur, password: the key
curl ${scheme}://${smtp.host}:${smtp.port}${tlsOptions[smtp.tls]} --user 'facteur:${key}' \\
  --mail-from ${quoted(from)} --mail-rcpt ${quoted(to)} --crlf --upload-file - <<'END'
From: ${from}
To: ${to}
Subject: ${subject}

${text}
END`
}
