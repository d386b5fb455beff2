# Calls Facteur with Resend's Ruby SDK as it comes, and prints one line of JSON for each step (see sdks.test.ts).
require "json"
require "resend"

# The SDK shows a refusal by its class and message; it keeps the status for itself.
def step(name)
  puts({ step: name, answer: yield }.to_json)
rescue Resend::Error => error
  puts({ step: name, message: error.message }.to_json)
end

Resend.api_key = ENV.fetch("RESEND_API_KEY")
mail = {
  from: "Boutique <hello@shop.test>",
  to: ["camille@example.com"],
  subject: "Commande n° 1042 ✓",
  html: "<p>Bonjour</p>",
  text: "Bonjour"
}
send_mail = ->(changes = {}) { [Resend::Emails.send({ **mail, **changes })[:id]] }
send_batch = ->(*mails) { Resend::Batch.send(mails)[:data].map { |sent| sent["id"] } }

step("send") do
  send_mail.call(
    reply_to: "answers@example.com",
    headers: { "X-Order" => "1042" },
    tags: [{ name: "order", value: "1042" }],
    attachments: [
      { filename: "reçu.bin", content: (0..255).to_a },
      { filename: "logo.png", content: "\x89PNG".bytes, content_id: "logo" }
    ]
  )
end
step("batch") { send_batch.call(mail, { **mail, subject: "Second" }) }
step("get") { Resend::Emails.get(send_mail.call.first).to_h.values_at(:id, :subject, :html, :text) }
step("bad address") { send_mail.call(to: ["nobody"]) }
step("other domain") { send_mail.call(from: "hello@elsewhere.test") }
step("suppressed") { send_mail.call(to: ["gone@example.com"]) }
step("bad batch") { send_batch.call(mail, { **mail, to: ["nobody"] }) }
Resend.api_key = ENV.fetch("OTHER_KEY")
step("wrong key") { send_mail.call }
