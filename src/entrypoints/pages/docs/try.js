// Makes the reference a place to try calls: shows the forms, sends them to this server with the reader's key, shows what it answers.
// The key is read from its field at each call and kept nowhere else.

const key = document.querySelector('#key')
const flavour = document.querySelector('#flavour')
const tools = document.querySelector('.tools')
tools.hidden = false

// The call that says whose key it is checks it.
tools.addEventListener('submit', (event) => {
  event.preventDefault()
  const account = document.querySelector('form[data-method="GET"][data-path="/api/v1/me"]')
  account.scrollIntoView({ block: 'center' })
  account.requestSubmit()
})

// Which spelling of the examples is open, on the whole page.
flavour.addEventListener('change', () => {
  for (const folded of document.querySelectorAll('section > details')) {
    const title = folded.querySelector('summary').textContent
    if ([...flavour.options].some(({ value }) => title.startsWith(value)))
      folded.open = title.startsWith(flavour.value)
  }
})

for (const form of document.querySelectorAll('form.try')) {
  form.hidden = false
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (form.dataset.sure && !confirm(form.dataset.sure)) return
    void send(form)
  })
}

async function send(form) {
  const { method, path, unanswered } = form.dataset
  const output = form.querySelector('output')
  output.replaceChildren()
  const began = performance.now()
  try {
    const answer = await fetch(addressOf(form, path), {
      method,
      headers: headersOf(form),
      body: form.elements.body?.value,
      credentials: 'omit',
      redirect: 'error',
    })
    const text = await answer.text()
    const ms = Math.round(performance.now() - began)
    const headers = [
      'x-request-id',
      'x-ratelimit-remaining',
      'retry-after',
      'idempotent-replay',
    ].flatMap((name) => (answer.headers.has(name) ? [`${name}: ${answer.headers.get(name)}`] : []))
    output.append(
      line('p', `${answer.status} ${answer.statusText} · ${ms} ms`, answer.ok ? 'good' : 'bad'),
    )
    output.append(line('pre', `${headers.join('\n')}\n\n${pretty(text)}`))
  } catch {
    output.append(line('p', unanswered, 'bad'))
  }
}

// Empty fields are not sent.
const valuesOf = (form, part) =>
  [...form.elements].flatMap(({ name, value }) =>
    name.startsWith(`${part}:`) && value !== '' ? [[name.slice(part.length + 1), value]] : [],
  )

function addressOf(form, path) {
  const params = new Map(valuesOf(form, 'path'))
  const query = new URLSearchParams(valuesOf(form, 'query')).toString()
  return (
    path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params.get(name) ?? '')) +
    (query && `?${query}`)
  )
}

const headersOf = (form) => ({
  ...(key.value.trim() && { authorization: `Bearer ${key.value.trim()}` }),
  'accept-language': document.documentElement.lang,
  ...(form.elements.body && { 'content-type': 'application/json' }),
  ...Object.fromEntries(valuesOf(form, 'header')),
})

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function line(tag, text, className = '') {
  const element = document.createElement(tag)
  element.textContent = text
  element.className = className
  return element
}
